#include "app/engine/score_files.h"

#include <fmt/format.h>

#include <span>

#include "app/engine/output.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace kurve::engine {

using nlohmann::json;
using Lines = std::vector<std::string>;

Result<Lines> readLines(const std::string& file) {
    KURVE_TRY(std::string text, readFile(file));
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    if (text.ends_with('\n')) text.pop_back();
    Lines lines = text.empty() ? Lines() : split(text, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].ends_with('\r')) lines[i].pop_back();
        if (firstInvalidUtf8(lines[i]))
            return requestError("metric.utf8", "the line is not UTF-8")
                .in(file, static_cast<int>(i) + 1)
                .fix("convert the file, for example with iconv");
    }
    return lines;
}

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

std::string scoreText(const std::string& metric, const metrics::Score& score) {
    return fmt::format("{} {:.4f}  [{:.4f}, {:.4f}] 95 %  n {}  {}", metric, score.value, score.low,
                       score.high, score.n, score.signature);
}

Status scoreFiles(const ScoreRequest& request, Output& out) {
    KURVE_TRY(const Lines hypotheses, readLines(request.hypotheses));
    std::vector<Lines> references;
    for (const std::string& file : request.references) {
        KURVE_TRY(Lines lines, readLines(file));
        if (lines.size() != hypotheses.size())
            return requestError("metric.counts", fmt::format("{} lines, but {} has {}", lines.size(),
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
