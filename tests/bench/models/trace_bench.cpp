// What recording a trace costs.
//   trace_bench writer FOLDER                       1,000 steps x 1,024 positions, candidates of 50,000 words
//   trace_bench mdlm FOLDER [ROUNDS] [KEY=VALUE …]  sampling with a trace against plain sampling, in turns
// The first prints seconds, bytes and the growth of the peak memory; the second the median of the rounds'
// ratios of processor time. Sizes of the second: `length` positions, `vocabulary` words, and settings of
// MDLM.
#include <fmt/format.h>
#include <sys/resource.h>

#include <map>

#include "core/text/tokenizer.h"
#include "core/trace/trace_writer.h"
#include "tests/bench/models/bench_common.h"

using namespace kurve;

namespace {

constexpr int kSteps = 1000, kPositions = 1024, kWords = 50000;

double peakMegabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

trace::TraceWriter::Options optionsIn(const std::string& folder) {
    return {
        folder + "/growing.safetensors", {}, [](std::uint32_t id) { return fmt::format("word{}", id); }, {}};
}

trace::Trace frame(RandomStream& random, int step) {
    trace::Trace one;
    one.steps = 1;
    one.positions = kPositions;
    one.t = {1 - step / double{kSteps}};
    one.logSnr = {step - 500.0};
    one.outer = {0};
    one.inner = {step};
    one.state.assign(kPositions, 3);
    for (auto* layer : {&one.confidence, &one.entropy, &one.margin}) layer->assign(kPositions, 0.5F);
    one.topProbability.assign(std::size_t{kPositions} * 8, 0.1F);
    for (int i = 0; i < kPositions * 8; ++i)
        one.topIds.push_back(static_cast<std::uint32_t>(random.below(kWords)));
    for (int i = 0; i < kPositions; ++i) one.tokens.push_back(one.topIds[static_cast<std::size_t>(i) * 8]);
    return one;
}

void writer(const std::string& folder) {
    RandomStream random(1, "bench.trace");
    std::vector<trace::Trace> frames;
    for (int step = 0; step < 8; ++step) frames.push_back(frame(random, step));
    const double before = peakMegabytes();
    trace::TraceWriter out(optionsIn(folder));
    const double start = bench::cpuSeconds();
    out.begin(kSteps);
    for (int step = 0; step < kSteps; ++step) out.append(frames[static_cast<std::size_t>(step) % 8]);
    const double appended = bench::cpuSeconds();
    const auto written = out.finish(folder + "/done.safetensors");
    KURVE_CHECK(written.has_value(), "{}", written.error().text());
    fmt::print(
        "{} steps x {} positions: {:.2f} ms a step, {:.2f} s to finish, {:.0f} MB, peak memory + {:.0f} MB\n",
        kSteps, kPositions, 1e3 * (appended - start) / kSteps, bench::cpuSeconds() - appended,
        static_cast<double>(written->bytes) / 1e6, peakMegabytes() - before);
}

void mdlm(const std::string& folder, int rounds, std::vector<Override> settings) {
    std::map<std::string, std::int64_t> sizes{{"length", 128}, {"vocabulary", 30522}};
    std::erase_if(settings, [&](const Override& one) {
        const auto size = sizes.find(one.first);
        if (size != sizes.end()) size->second = std::stoll(one.second);
        return size != sizes.end();
    });
    settings.insert(settings.begin(),
                    {{"data.kind", "text"}, {"data.max_length", std::to_string(sizes["length"])}});
    const RunConfig config = bench::config("mdlm", settings);
    const std::int64_t vocabulary = sizes["vocabulary"];
    auto made = models::findFamily("mdlm")->create(
        config, {{vocabulary, vocabulary, true, sizes["length"], false, text::kTrainedSpecials}});
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    train::GenerateRequest request;
    request.sources.resize(1);
    std::vector<std::int32_t> blanks(static_cast<std::size_t>(sizes["length"]), text::kMask);
    blanks.front() = text::kBos;
    blanks.back() = text::kEos;
    request.templates = {{blanks, false}};
    const auto sample = [&](trace::TraceSink* maybeTrace) {
        const auto done = (*made)->generate(request, config, maybeTrace);
        KURVE_CHECK(done.has_value(), "{}", done.error().text());
    };
    const auto seconds = bench::interleaved(
        rounds, {[&] { sample(nullptr); },
                 [&] {
                     trace::TraceWriter out(optionsIn(folder));
                     sample(&out);
                     KURVE_CHECK(out.finish(folder + "/done.safetensors").has_value(), "not written");
                 }});
    const auto ratio = bench::ratio(seconds[1], seconds[0]);
    fmt::print("plain {:.2f} s, with a trace {:.3f}x ({:.3f}-{:.3f}) of {} rounds\n",
               bench::median(seconds[0]), ratio.middle, ratio.low, ratio.high, rounds);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() < 2) return 2;
    bench::prepare();
    if (arguments[0] == "writer") {
        writer(arguments[1]);
        return 0;
    }
    std::vector<Override> settings;
    for (std::size_t i = 3; i < arguments.size(); ++i) {
        const auto at = arguments[i].find('=');
        settings.emplace_back(arguments[i].substr(0, at), arguments[i].substr(at + 1));
    }
    mdlm(arguments[1], arguments.size() > 2 ? std::stoi(arguments[2]) : 5, std::move(settings));
    return 0;
}
