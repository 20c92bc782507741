// Logs of other programs: any bytes are curves in step order, or an error. The first byte chooses the reader;
// events are also decoded without their check sums, which no fuzzer guesses.
#include <algorithm>
#include <cstdlib>

#include "core/interop/detail/event_decoder.h"
#include "core/interop/scalar_log.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kurve::interop;
    if (size == 0) return 0;
    const int choice = data[0] % 4;
    if (choice == 0) {
        (void)detail::decodeEvent({reinterpret_cast<const char*>(data + 1), size - 1});
        return 0;
    }
    const kurve::testing::MemoryFile file(data + 1, size - 1);
    const ReadOptions options{.skipBad = (data[0] & 4) != 0};
    const auto logs = choice == 1   ? readCsvLog(file.path(), options)
                      : choice == 2 ? readJsonLog(file.path(), options)
                                    : readEventFiles(file.path(), options);
    if (!logs) return 0;
    for (const auto& log : *logs)
        for (const auto& attempt : log.attempts)
            for (const auto& [metric, series] : attempt.curves) {
                if (series.wall.size() != series.size() || series.value.size() != series.size()) std::abort();
                if (!std::is_sorted(series.step.begin(), series.step.end())) std::abort();
            }
    return 0;
}
