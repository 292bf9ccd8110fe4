"""The only importer of llama_cpp. One thread owns every object made here."""

import os

# Threads that meet spin before they sleep. By GNU OpenMP's default they spin for milliseconds, so
# one other busy process makes decoding 15 times slower; after this many turns, a few microseconds,
# it costs half, and an idle machine is as fast. Read once, when llama.cpp is loaded.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
# A failed assertion would start a debugger, which prints hundreds of lines on the screen.
os.environ.setdefault("GGML_NO_BACKTRACE", "1")
