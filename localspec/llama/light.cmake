# Leaves llama.cpp's common library out of llama-cpp-python's build: half of the compile, and
# nothing here uses it. A plain variable hides the cache entry that the binding forces to ON.
#   CMAKE_ARGS="-DLLAVA_BUILD=OFF -DCMAKE_PROJECT_INCLUDE=$PWD/localspec/llama/light.cmake"
set(LLAMA_BUILD_COMMON OFF)
