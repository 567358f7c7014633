# Language, output folders, and sumac::options: the warnings and sanitizers of every target of ours.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
# As where they are installed: programs find all else from their own place.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/sumac)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/sumac)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/examples/data ${PROJECT_BINARY_DIR}/share/sumac/data SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python ${PROJECT_BINARY_DIR}/share/sumac/python SYMBOLIC)

option(SUMAC_WERROR "Treat warnings as errors" OFF)
set(SUMAC_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=; empty for none")

option(SUMAC_FUZZ "Build the libFuzzer programs of tests/fuzz; needs Clang" OFF)

find_program(SUMAC_CCACHE ccache)
if(SUMAC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What another checkout has compiled counts, and precompiled headers do not prevent it.
  set(SUMAC_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${SUMAC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${SUMAC_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SUMAC_LAUNCHER})
endif()

# A JSON tree becomes a text or a number only where the code says so: a foreign document may hold
# another type there. For the whole tree, since one macro decides what a shared header compiles to.
add_compile_definitions(JSON_USE_IMPLICIT_CONVERSIONS=0)

add_library(sumac_options INTERFACE)
add_library(sumac::options ALIAS sumac_options)
target_compile_options(sumac_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wformat=2 -Wextra-semi
  # GCC 12 reports these falsely inside libstdc++, for "text" + std::to_string(n) for example.
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wuseless-cast
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # No multiplication and addition may be fused into one rounding: bits must not depend on the compiler's choice.
  -ffp-contract=off
  $<$<BOOL:${SUMAC_WERROR}>:-Werror>
)

# Tests run once for each time they are compiled: what compiles fastest is best. Tests that compute
# much set the property SUMAC_OPTIMISED.
add_library(sumac_test_options INTERFACE)
add_library(sumac::test_options ALIAS sumac_test_options)
target_link_libraries(sumac_test_options INTERFACE sumac_options)
target_compile_options(sumac_test_options INTERFACE
  $<IF:$<BOOL:$<TARGET_PROPERTY:SUMAC_OPTIMISED>>,-O1,-O0>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)

if(SUMAC_SANITIZE)
  add_compile_options(-fsanitize=${SUMAC_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SUMAC_SANITIZE})
  # GCC takes the sanitizers' own code for uses of unset variables. The dev build refuses real ones.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(SUMAC_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # libFuzzer sees which code an input reaches
endif()
