// Corpora: any bytes are pairs and counts that add up, or an error.
#include <cstdlib>

#include "core/text/corpus.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kurve::text;
    const kurve::testing::MemoryFile file(data, size);
    CorpusOptions options;
    options.maxLineBytes = 200;
    const auto corpus = readTsv(file.path(), options);
    if (!corpus) return 0;
    const CorpusReport& report = corpus->report;
    if (report.pairs != static_cast<std::int64_t>(corpus->pairs.size())) std::abort();
    if (report.lines != report.pairs + report.emptySides + report.tooLong) std::abort();
    for (const auto& pair : corpus->pairs)
        if (pair.source.empty() || pair.target.empty()) std::abort();
    return 0;
}
