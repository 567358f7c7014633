# Every third party, found once, as an imported target. What only tests need is required only when
# tests are built, so that `make run` installs and asks for nothing else.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)  # Boost's own configuration; CMake 3.30 and newer warn otherwise
endif()
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(cpprestsdk 2.10 REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(prometheus-cpp-core REQUIRED IMPORTED_TARGET prometheus-cpp-core)
pkg_check_modules(yaml-cpp REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(libzmq REQUIRED IMPORTED_TARGET libzmq)

if(BUILD_TESTING)
  find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)
  find_package(rapidcheck REQUIRED)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
endif()
