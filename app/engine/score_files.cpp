#include "app/engine/score_files.h"

#include <fmt/format.h>

#include <span>

#include "app/engine/output.h"
#include "app/engine/text_lines.h"
#include "core/base/counted.h"
#include "core/base/text.h"

namespace kurve::engine {

using nlohmann::json;
using Lines = std::vector<std::string>;

json scoreDocument(const std::string& metric, const metrics::Score& score) {
    json parts = json::object();
    for (const auto& [name, value] : score.parts) parts[name] = jsonNumber(value);
    return {{"metric", metric},
            {"value", jsonNumber(score.value)},
            {"ci95", {jsonNumber(score.low), jsonNumber(score.high)}},
            {"n", score.n},
            {"signature", score.signature},
            {"parts", parts}};
}

std::string intervalText(const metrics::Score& score, int digits) {
    return score.hasInterval() ? fmt::format("[{:.{}f}, {:.{}f}]  ", score.low, digits, score.high, digits)
                               : std::string();
}

std::string scoreText(const std::string& metric, const metrics::Score& score) {
    const std::string interval = intervalText(score, 4);
    return fmt::format("{} {:.4f}  {}{}n {}  {}", metric, score.value, interval.empty() ? "" : "95 % CI ",
                       interval, score.n, score.signature);
}

Status scoreFiles(const ScoreRequest& request, Output& out) {
    KURVE_TRY(const Lines hypotheses, readLines(request.hypotheses));
    std::vector<Lines> references;
    for (const std::string& file : request.references) {
        KURVE_TRY(Lines lines, readLines(file));
        if (lines.size() != hypotheses.size())
            return requestError("metric.counts",
                                fmt::format("{}, but {} has {}", counted(lines.size(), "line"),
                                            request.hypotheses, hypotheses.size()))
                .in(file)
                .fix("line i of every file must belong together");
        references.push_back(std::move(lines));
    }
    metrics::MetricInput input{hypotheses, {}};
    if (!references.empty()) {
        input.references = references.front();
        input.moreReferences = std::span<const Lines>(references).subspan(1);
    }
    if (!request.tokenize.empty()) input.options["tokenize"] = request.tokenize;
    KURVE_TRY(const metrics::Score score, metrics::score(request.metric, input));
    out.result(scoreDocument(request.metric, score), scoreText(request.metric, score));
    return {};
}

}  // namespace kurve::engine
