#include "app/engine/teacher_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/metrics/metric.h"
#include "core/text/reference_text.h"
#include "core/train/checkpoint_manager.h"

namespace kurve::engine {
namespace {

constexpr std::size_t kMostAveraged = 5;

Result<double> validationBleu(const LoadedModel& teacher, std::size_t pairs) {
    train::DecodeRequest request;
    request.seed = 1;
    std::vector<std::string> references, outputs;
    KURVE_TRY(const auto texts, teacher.data->valid.texts(0, pairs));
    for (std::size_t p = 0; p < texts.size(); ++p) {
        request.sources.push_back(teacher.data->valid.source(p));
        references.push_back(text::referenceText(*teacher.data->target, texts[p].target));
    }
    KURVE_TRY(const train::DecodedSet set, train::decode(teacher.text(), request, teacher.sampler));
    for (const auto& row : set.rows) outputs.push_back(row.output);
    KURVE_TRY(const metrics::Score score, metrics::score("bleu", {outputs, references, {}}));
    return score.value;
}

void emitMark(ControlLink& link, const std::string& text) {
    link.emit(train::event("mark", {{"step", 0}, {"kind", "teacher"}, {"text", text}}));
}

}  // namespace

nlohmann::json TeacherChoice::document() const {
    nlohmann::json all = nlohmann::json::array();
    for (const Candidate& one : tried) all.push_back({{"weights", one.weights}, {"valid_bleu", one.bleu}});
    return all;
}

std::string TeacherChoice::text() const {
    std::string line = "validation BLEU of the teacher's weights:";
    for (const Candidate& one : tried) line += fmt::format(" {} {:.1f},", one.weights, one.bleu);
    return line + fmt::format(" chosen: {}", weights);
}

Result<TeacherChoice> chooseTeacher(const CommonOptions& common, const std::string& name, ControlLink& link) {
    KURVE_TRY(const OpenRun run, openRun(common, name));
    TeacherChoice choice;
    choice.weights = "last";
    const std::size_t ranked = train::RetentionPolicy::of(run.config).bestFirst(run.checkpoints).size();
    for (std::size_t count = std::min(kMostAveraged, ranked); ranked > 1 && count > 0; --count) {
        const std::string weights = count == 1 ? std::string("best") : fmt::format("avg{}", count);
        choice.stopped = link.stopRequested();
        if (choice.stopped) return choice;
        emitMark(link, fmt::format("{} decodes validation pairs, {} to go", weights, count));
        KURVE_TRY(const LoadedModel teacher, loadModel(common, {name, weights, false, true}));
        const auto samples = static_cast<std::size_t>(run.config.integer("eval.samples"));
        const std::size_t pairs = std::min(samples, teacher.data->valid.size());
        if (pairs == 0) {
            choice.weights = weights;
            break;
        }
        KURVE_TRY(const double bleu, validationBleu(teacher, pairs));
        choice.tried.push_back({weights, bleu});
        emitMark(link, fmt::format("{} reaches validation BLEU {:.1f}", weights, bleu));
    }
    const auto best = std::max_element(choice.tried.begin(), choice.tried.end(),
                                       [](const auto& a, const auto& b) { return a.bleu < b.bleu; });
    if (best != choice.tried.end()) choice.weights = best->weights;
    return choice;
}

}  // namespace kurve::engine
