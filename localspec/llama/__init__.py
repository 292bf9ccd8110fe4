"""The only importer of llama_cpp. One thread owns every object made here."""
