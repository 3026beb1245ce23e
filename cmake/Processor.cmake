# SKALD_PROCESSOR, the processor that is built for: x86_64 or aarch64 (64-bit Arm). A folder of this name holds sources for it
# alone; tiers of kernels name theirs (TIER_PROCESSOR).
set(processors x86_64 aarch64)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(SKALD_PROCESSOR x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  set(SKALD_PROCESSOR aarch64)
else()
  message(FATAL_ERROR "Skald is made for x86-64 and 64-bit Arm, and this is ${CMAKE_SYSTEM_PROCESSOR}")
endif()

# skald_only_for_processor(<variable>): without the sources for other processors.
function(skald_only_for_processor variable)
  set(others ${processors})
  list(REMOVE_ITEM others ${SKALD_PROCESSOR})
  list(JOIN others "|" pattern)
  set(sources ${${variable}})
  list(FILTER sources EXCLUDE REGEX "/(${pattern})/[^/]+$")
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
