// LeakSanitizer knows what a library holds, and the library's name, only while it is loaded: Mesa's drivers,
// above all, stay until its report.
extern "C" __attribute__((visibility("default"))) int dlclose(void* /*library*/) {
    return 0;
}
