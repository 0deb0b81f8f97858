//===- ProfilePage.cpp - a profile as one HTML page -----------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"
#include "ProfileTemplate.h"

namespace dynac::tool {

std::string profilePage(const Profile &profile) {
  std::string data;
  llvm::raw_string_ostream stream(data);
  llvm::json::OStream os(stream);
  os.object([&] { profile.json(os); });
  stream.flush();
  // Names come from the model: nothing in them may end the script that holds them.
  std::string safe;
  for (char c : data)
    safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  constexpr llvm::StringRef place = "@DATA@";
  llvm::StringRef page(profileTemplate);
  const size_t at = page.find(place);
  return (page.take_front(at) + safe + page.drop_front(at + place.size())).str();
}

} // namespace dynac::tool
