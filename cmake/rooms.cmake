# A room is one folder of src/: a static library that sees its own folder's parents (include/, src/) and links
# the rooms it stands on. The library libtenon is made of all rooms' objects.
add_library(tenon_flags INTERFACE)
target_compile_options(tenon_flags INTERFACE
  -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes> -Wvla -Wno-unused-parameter
  -ffp-contract=off -fno-math-errno -Wno-psabi)
target_include_directories(tenon_flags INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
target_compile_definitions(tenon_flags INTERFACE _GNU_SOURCE)
target_link_libraries(tenon_flags INTERFACE m)
if(TENON_WERROR)
  target_compile_options(tenon_flags INTERFACE -Werror)
endif()
if(TENON_CHECKS)
  target_compile_definitions(tenon_flags INTERFACE TN_CHECKS)
endif()
if(TENON_NATIVE)
  target_compile_options(tenon_flags INTERFACE -march=native)
endif()
if(TENON_COVERAGE)
  target_compile_options(tenon_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(tenon_flags INTERFACE --coverage)
endif()
if(TENON_SANITIZE)
  # Left out is what AddressSanitizer reports as well once the address is used, and what takes half of the compiler's time.
  target_compile_options(tenon_flags INTERFACE -fsanitize=${TENON_SANITIZE} -fno-sanitize=null,object-size,pointer-overflow
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tenon_flags INTERFACE -fsanitize=${TENON_SANITIZE})
endif()

# libtenon shows what include/tenon declares, by the pragma there; rooms as shared libraries show all to one another.
if(NOT TENON_SHARED_ROOMS)
  set(CMAKE_C_VISIBILITY_PRESET hidden)
endif()

# tools/mutate relinks one room and nothing else.
set(room_kind STATIC)
if(TENON_SHARED_ROOMS)
  set(room_kind SHARED)
  set(CMAKE_LINK_DEPENDS_NO_SHARED ON)
endif()

# tenon_room(NAME [STANDS_ON room...] [LIBRARIES target...])
function(tenon_room name)
  cmake_parse_arguments(ROOM "" "" "STANDS_ON;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c)
  if(NOT sources)
    add_library(room_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(room_${name} ${room_kind} ${sources})
    set(scope PUBLIC)
  endif()
  target_link_libraries(room_${name} ${scope} tenon_flags ${ROOM_LIBRARIES})
  foreach(room ${ROOM_STANDS_ON})
    target_link_libraries(room_${name} ${scope} room_${room})
  endforeach()
endfunction()
