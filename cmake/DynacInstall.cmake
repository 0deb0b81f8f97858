# Install rules, the CMake package for users and CPack.
