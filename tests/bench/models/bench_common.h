#pragma once

#include <malloc.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/random_stream.h"
#include "core/text/trained_specials.h"
#include "core/train/trainer.h"
#include "models/families.h"

namespace kurve::bench {

/// Processor time of this process, without other work on the machine.
inline double cpuSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// As the engine starts: one thread, freed memory kept.
inline void prepare() {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 2000000000);
    mallopt(M_TOP_PAD, 64 << 20);
    at::set_num_threads(1);
    at::globalContext().setFlushDenormal(true);
}

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Seconds of each round for several contenders, run in turns: A B A B …
inline std::vector<std::vector<double>> interleaved(int rounds,
                                                    const std::vector<std::function<void()>>& contenders) {
    for (const auto& contender : contenders) contender();
    std::vector<std::vector<double>> seconds(contenders.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            const double start = cpuSeconds();
            contenders[i]();
            seconds[i].push_back(cpuSeconds() - start);
        }
    return seconds;
}

/// Median of the rounds' ratios b / a, and their 10 % and 90 % quantiles.
struct Ratio {
    double middle, low, high;
};
inline Ratio ratio(const std::vector<double>& b, const std::vector<double>& a) {
    std::vector<double> all;
    for (std::size_t i = 0; i < a.size(); ++i) all.push_back(b[i] / a[i]);
    std::sort(all.begin(), all.end());
    return {all[all.size() / 2], all[all.size() / 10], all[all.size() - 1 - all.size() / 10]};
}

inline RunConfig config(const std::string& family, const std::vector<Override>& settings) {
    auto parsed = RunConfig::parse("family = \"" + family + "\"\npreset = \"tiny\"\n", "bench.toml",
                                   models::schemaLookup(), settings);
    KURVE_CHECK(parsed.has_value(), "{}", parsed.error().text());
    return *parsed;
}

inline std::unique_ptr<train::SequenceModel> model(const RunConfig& settings, std::int64_t vocabulary) {
    const bool hasSource = settings.text("data.kind") != "text";
    auto made = models::findFamily(settings.family())
                    ->create(settings, {{vocabulary, vocabulary, true, 64, hasSource, text::kTrainedSpecials},
                                        at::kCPU});
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    return std::move(*made);
}

/// Random ids; row r has base + r % 5 - 2 tokens.
inline text::Batch batch(int rows, int sourceBase, int targetBase, std::int64_t vocabulary,
                         std::uint64_t seed = 1) {
    text::Batch out;
    out.rows = rows;
    out.sourceLength = sourceBase + 2;
    out.targetLength = targetBase + 2;
    RandomStream random(seed, "bench.batch");
    const auto side = [&](int base, int width, std::vector<std::int32_t>& ids,
                          std::vector<std::int32_t>& lengths) {
        for (int r = 0; r < rows; ++r) {
            const int length = base + r % 5 - 2;
            lengths.push_back(length);
            for (int i = 0; i < width; ++i) {
                const auto word =
                    text::kFirstRegularToken +
                    random.below(static_cast<std::uint64_t>(vocabulary - text::kFirstRegularToken));
                ids.push_back(i >= length       ? text::kPad
                              : i == 0          ? text::kBos
                              : i + 1 == length ? text::kEos
                                                : static_cast<std::int32_t>(word));
            }
        }
    };
    side(sourceBase, out.sourceLength, out.source, out.sourceLengths);
    side(targetBase, out.targetLength, out.target, out.targetLengths);
    return out;
}

}  // namespace kurve::bench
