# The device `cuda` (SKALD_CUDA): nvcc compiles the kernels of src/kernels/gpu for cards of NVIDIA. CUDA's runtime is linked
# statically: the program runs with a driver and without one.
set(SKALD_CUDA_ARCHITECTURES "80;86;89;90a;100;90-virtual" CACHE STRING
  "What nvcc compiles for: numbers of architectures, <number>-virtual for PTX; or native, the card of this machine")
if(DEFINED ENV{CUDA_HOME} AND NOT DEFINED CUDAToolkit_ROOT)
  set(CUDAToolkit_ROOT $ENV{CUDA_HOME})
endif()
find_package(CUDAToolkit 12.3 REQUIRED) # whose graphs keep early starts

set(architectures "")
foreach(architecture IN LISTS SKALD_CUDA_ARCHITECTURES)
  string(REGEX REPLACE "-virtual$" "" number ${architecture})
  if(architecture STREQUAL native)
    list(APPEND architectures -arch=native)
  elseif(architecture MATCHES "-virtual$")
    list(APPEND architectures -gencode=arch=compute_${number},code=compute_${number})
  else()
    list(APPEND architectures -gencode=arch=compute_${number},code=sm_${number})
  endif()
endforeach()

# Kernels take a quarter of the room so: a program has them for each architecture.
set(compression "")
if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.8)
  set(compression --compress-mode=size)
endif()

# skald_nvcc(<out> <sources...>): the object files of kernel files, as cards have them.
function(skald_nvcc out)
  set(objects "")
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/cuda)
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/cuda/${name}.o)
    add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d COMMENT "nvcc ${name}.cu" VERBATIM
      COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++20 -O3 --extended-lambda --expt-relaxed-constexpr ${architectures} ${compression}
        -ccbin ${CMAKE_CXX_COMPILER}
        -Xcompiler=-fPIC,-fvisibility=hidden,-ffp-contract=off -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR}/include
        -I${CMAKE_SOURCE_DIR} -I${CMAKE_BINARY_DIR}/gen -MD -MF ${object}.d -MT ${object} -c -o ${object} ${source})
    list(APPEND objects ${object})
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
