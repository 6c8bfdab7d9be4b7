# cmake -DSOURCE=FOLDER -DLIST=FILE -DOUTPUT=FOLDER -P write_public_headers.cmake
# Copies the public headers, which FILE lists (public_headers.cmake), from SOURCE to OUTPUT/cisolve.
# Within the project headers include one another from its root, "base/types.hpp". A user's program may
# have a folder base/ of its own, so that in the copies it reads <cisolve/base/types.hpp>. Writes
# cisolve.hpp, too, which includes them all. A file that is up to date is not touched.
# Fails unless the headers are at most MOST, each once, and include only one another and the standard
# library.
cmake_minimum_required(VERSION 3.25)
set(MOST 58)  # with cisolve.hpp and version.hpp 60
include(${LIST})
list(LENGTH CISOLVE_PUBLIC_HEADERS count)
if(count GREATER MOST)
  message(FATAL_ERROR "${LIST} names ${count} headers; expected at most ${MOST}: declare in place of "
                      "including, or join headers that belong together")
endif()

function(write file text)
  set(old "")
  if(EXISTS ${file})
    file(READ ${file} old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE ${file} "${text}")
  endif()
endfunction()

set(all "#pragma once\n\n// All public headers of ci-solve.\n#include <cisolve/version.hpp>\n")
set(wrong "")
foreach(header IN LISTS CISOLVE_PUBLIC_HEADERS)
  file(STRINGS ${SOURCE}/${header} includes REGEX "^ *# *include")
  foreach(line IN LISTS includes)
    if(line MATCHES "\"(.*)\"")
      if(NOT CMAKE_MATCH_1 IN_LIST CISOLVE_PUBLIC_HEADERS)
        string(APPEND wrong "${header} is public and includes ${CMAKE_MATCH_1}, which is not: declare "
                            "what it needs, or add that to ${LIST}\n")
      endif()
    elseif(NOT line MATCHES "<[a-z_0-9]+>")
      string(APPEND wrong "${header} is public, and users may lack what it includes: ${line}\n")
    endif()
  endforeach()
  file(READ ${SOURCE}/${header} text)
  string(REGEX REPLACE "(# *include )\"([^\"\n]+)\"" "\\1<cisolve/\\2>" text "${text}")
  write(${OUTPUT}/cisolve/${header} "${text}")
  string(APPEND all "#include <cisolve/${header}>\n")
endforeach()
if(wrong)
  message(FATAL_ERROR "${wrong}")
endif()
write(${OUTPUT}/cisolve/cisolve.hpp "${all}")

# Copies of headers that are no longer public.
file(GLOB_RECURSE found RELATIVE ${OUTPUT}/cisolve ${OUTPUT}/cisolve/*.hpp)
list(REMOVE_ITEM found cisolve.hpp version.hpp ${CISOLVE_PUBLIC_HEADERS})
foreach(header IN LISTS found)
  file(REMOVE ${OUTPUT}/cisolve/${header})
endforeach()
