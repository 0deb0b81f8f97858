//===- Npz.cpp - numpy's .npz files ---------------------------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ZIP: PKWARE's APPNOTE 6.3.10. The list of members at the end of the file counts; what a member's
// own header repeats is skipped over.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "dynac/Support/Diagnostic.h"
#include "llvm/Support/Endian.h"

#include <zlib.h>

namespace dynac::tool {

using llvm::support::endian::read16le;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;

namespace {

constexpr uint32_t endSignature = 0x06054b50, end64Signature = 0x06064b50,
                   locator64Signature = 0x07064b50, memberSignature = 0x02014b50,
                   localSignature = 0x04034b50;

llvm::Error bad(llvm::StringRef file, const llvm::Twine &what) {
  return signatureMismatch("{0}: {1}", printable(file), what.str());
}

/// Where the list of members is and how many there are.
struct Directory {
  uint64_t offset = 0, count = 0;
};

llvm::Expected<Directory> findDirectory(llvm::ArrayRef<char> bytes, llvm::StringRef file) {
  // The end record is followed by a comment of at most 65535 bytes.
  size_t lowest = bytes.size() > 22 + 65535 ? bytes.size() - 22 - 65535 : 0;
  for (size_t at = bytes.size() < 22 ? 0 : bytes.size() - 22 + 1; at-- > lowest;) {
    const char *end = bytes.data() + at;
    if (read32le(end) != endSignature)
      continue;
    Directory directory{read32le(end + 16), read16le(end + 10)};
    if (at >= 20 && read32le(end - 20) == locator64Signature) {
      uint64_t end64 = read64le(end - 20 + 8);
      if (end64 > bytes.size() || bytes.size() - end64 < 56 ||
          read32le(bytes.data() + end64) != end64Signature)
        return bad(file, "damaged 64-bit ZIP end record");
      directory = {read64le(bytes.data() + end64 + 48), read64le(bytes.data() + end64 + 32)};
    }
    if (directory.offset > bytes.size())
      return bad(file, "the ZIP's list of members is outside the file");
    return directory;
  }
  return bad(file, "not a .npz (ZIP) file");
}

} // namespace

llvm::Expected<NpzFile> NpzFile::open(llvm::ArrayRef<char> bytes, llvm::StringRef name) {
  auto directory = findDirectory(bytes, name);
  if (!directory)
    return directory.takeError();
  NpzFile file;
  file.bytes = bytes;
  file.fileName = name.str();
  uint64_t at = directory->offset;
  for (uint64_t i = 0; i < directory->count; ++i) {
    if (bytes.size() - at < 46 || read32le(bytes.data() + at) != memberSignature)
      return bad(name, "the ZIP's list of members is damaged");
    const char *entry = bytes.data() + at;
    Member member;
    uint16_t flags = read16le(entry + 8);
    member.method = read16le(entry + 10);
    member.crc = read32le(entry + 16);
    member.packed = read32le(entry + 20);
    member.unpacked = read32le(entry + 24);
    member.offset = read32le(entry + 42);
    uint64_t nameLength = read16le(entry + 28), extraLength = read16le(entry + 30),
             commentLength = read16le(entry + 32);
    if (bytes.size() - at - 46 < nameLength + extraLength + commentLength)
      return bad(name, "the ZIP's list of members is damaged");
    member.name = std::string(entry + 46, nameLength);
    if (flags & 1)
      return bad(name, "member '" + printable(member.name) + "' is encrypted");
    // 64-bit sizes: those fields of the extra block whose 32-bit ones are all ones, in this order.
    llvm::ArrayRef<char> extra(entry + 46 + nameLength, extraLength);
    while (extra.size() >= 4) {
      uint16_t id = read16le(extra.data()), length = read16le(extra.data() + 2);
      if (extra.size() - 4 < length)
        break;
      llvm::ArrayRef<char> field = extra.slice(4, length);
      if (id == 1) {
        for (uint64_t *value : {&member.unpacked, &member.packed, &member.offset}) {
          if (*value != UINT32_MAX || field.size() < 8)
            continue;
          *value = read64le(field.data());
          field = field.drop_front(8);
        }
      }
      extra = extra.drop_front(4 + length);
    }
    llvm::StringRef stem = member.name;
    if (stem.consume_back(".npy"))
      member.name = stem.str();
    at += 46 + nameLength + extraLength + commentLength;
    file.members.push_back(std::move(member));
  }
  return file;
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> result;
  for (const Member &member : members)
    result.push_back(member.name);
  return result;
}

llvm::Expected<HostTensor> NpzFile::read(llvm::StringRef name, int32_t wanted) const {
  for (const Member &member : members) {
    if (member.name != name)
      continue;
    std::string shown = fileName + ":" + member.name;
    if (member.offset > bytes.size() || bytes.size() - member.offset < 30 ||
        read32le(bytes.data() + member.offset) != localSignature)
      return bad(shown, "the member's ZIP header is damaged");
    const char *local = bytes.data() + member.offset;
    uint64_t start = member.offset + 30 + read16le(local + 26) + read16le(local + 28);
    if (start > bytes.size() || bytes.size() - start < member.packed)
      return bad(shown, "the member is cut off");
    llvm::ArrayRef<char> packed = bytes.slice(start, member.packed);
    if (member.method == 0)
      return parseNpy(packed, shown, wanted);
    if (member.method != 8)
      return bad(shown, "ZIP method " + llvm::Twine(member.method) + " is not supported");
    // Deflate cannot expand by more than 1032: a larger claim is a lie, told to make us allocate.
    if (member.unpacked > member.packed * 1032 + 64)
      return bad(shown, "the member's ZIP sizes do not fit each other");
    std::vector<char> out(member.unpacked);
    z_stream stream = {};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      return ioError("not enough memory to unpack {0}", printable(shown));
    uint64_t in = 0, made = 0;
    int code = Z_OK;
    while (code == Z_OK) {
      constexpr uint64_t piece = 1u << 30; // zlib counts in 32 bits
      stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + in));
      stream.avail_in = static_cast<uInt>(std::min(piece, packed.size() - in));
      stream.next_out = reinterpret_cast<Bytef *>(out.data() + made);
      stream.avail_out = static_cast<uInt>(std::min(piece, out.size() - made));
      uInt inBefore = stream.avail_in, outBefore = stream.avail_out;
      code = inflate(&stream, Z_NO_FLUSH);
      in += inBefore - stream.avail_in;
      made += outBefore - stream.avail_out;
      if (code == Z_OK && inBefore == stream.avail_in && outBefore == stream.avail_out)
        code = Z_BUF_ERROR;
    }
    inflateEnd(&stream);
    if (code != Z_STREAM_END || made != out.size())
      return bad(shown, "the member's deflated data is damaged");
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef *>(out.data()), out.size());
    if (crc != member.crc)
      return bad(shown, "the member's checksum is wrong");
    return parseNpy(out, shown, wanted);
  }
  return bad(fileName, "has no member '" + printable(name) + "'");
}

} // namespace dynac::tool
