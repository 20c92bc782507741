#include "core/train/evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "core/metrics/brier_scores.h"
#include "core/metrics/embedding_match.h"
#include "core/metrics/metric.h"
#include "core/text/reference_text.h"
#include "core/trace/trace.h"
#include "core/train/behind_prompts.h"
#include "core/train/brier_scores.h"
#include "core/train/inference_server.h"
#include "core/train/likelihood_scores.h"
#include "core/train/loss_scores.h"

namespace kurve::train {
namespace {

constexpr std::uint64_t kValidationSeed = 20'200;  // one noise for all runs, so that their losses compare
constexpr std::int64_t kBrierDraws = 8;            // of a chunk: training looks often

std::string validName(const std::string& part) {
    return "valid_" + part;
}

double bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references) {
    const auto score = metrics::score("bleu", {hypotheses, references, {}});
    return score ? score->value : std::nan("");
}

/// Outputs and their references, as texts and as tokens.
struct ComparedTexts {
    std::vector<std::string> outputs, references;
    std::vector<std::vector<std::int32_t>> outputTokens, referenceTokens;
};

void scoreTexts(const ComparedTexts& texts, SequenceModel& model, std::map<std::string, double>& metrics) {
    for (const char* id : {"bleu", "chrf", "reps_bpe", "reps_word"})
        if (const auto score =
                metrics::score(id, {texts.outputs, texts.references, {}, {}, texts.outputTokens}))
            metrics[validName(id)] = score->value;
    const at::Tensor table = model.tokenEmbeddings();
    if (!table.defined()) return;
    const at::Tensor host = table.to(at::kCPU, at::kFloat).contiguous();
    const metrics::WordVectors vectors{{host.const_data_ptr<float>(), static_cast<std::size_t>(host.numel())},
                                       static_cast<std::size_t>(host.size(1))};
    if (const auto score = metrics::embeddingF1({texts.outputTokens, texts.referenceTokens}, vectors))
        metrics[validName(metrics::kEmbeddingF1)] = score->value;
}

/// Of texts that answer nothing: how varied they are, and how long, for short ones look better.
void scoreFreeTexts(const ComparedTexts& texts, std::map<std::string, double>& metrics) {
    for (const char* id : {"distinct-2", "rep-4", "entropy", "reps_bpe", "reps_word"})
        if (const auto score = metrics::score(id, {texts.outputs, {}, {}, {}, texts.outputTokens}))
            metrics[validName(id)] = score->value;
    double tokens = 0;
    for (const auto& ids : texts.outputTokens) tokens += static_cast<double>(ids.size());
    if (!texts.outputTokens.empty())
        metrics[validName("length")] = tokens / static_cast<double>(texts.outputTokens.size());
}

/// How lists call a fixed prompt: samples without one have a number.
std::string nameOf(const text::Prompt& prompt, int number) {
    return prompt.kind == text::PromptKind::Nothing ? fmt::format("sample {}", number + 1) : prompt.text;
}

std::size_t textsNeeded(const RunConfig& config) {
    std::int64_t most = 0;
    for (const char* key : {"eval.prompt_count", "eval.samples", "eval.loss_pairs"})
        most = std::max(most, config.integer(key));
    return static_cast<std::size_t>(most);
}

}  // namespace

text::Prompt samplePrompt(const text::Dataset& data, const std::string& example) {
    if (!data.documents) {
        const auto end = data.promptEnd.empty() ? std::string::npos : example.find(data.promptEnd);
        if (end == std::string::npos) return {"", text::PromptKind::Nothing};
        return {example.substr(0, end + data.promptEnd.size()), text::PromptKind::Prefix};
    }
    std::vector<std::string> lines = split(example, '\n');
    const auto end = std::find(lines.begin(), lines.end(), data.promptEnd);
    lines.erase(end == lines.end() ? lines.begin() + 1 : end + 1, lines.end());
    return {join(lines, "\n"), text::PromptKind::Prefix};
}

bool rewritesTexts(const RunConfig& config) {
    return text::isWithoutSource(config) && checkPromptKind(config, text::PromptKind::Source).has_value();
}

bool hasReferences(const RunConfig& config) {
    if (!text::isText(config) || rewritesTexts(config)) return true;
    return !text::isRunning(config) && !config.text("data.prompt_end").empty();
}

Evaluator::Evaluator(const text::Dataset& data, RunConfig config, c10::Device device,
                     std::filesystem::path runFolder, RunResolver* maybeResolver)
    : data_(data),
      config_(std::move(config)),
      validTexts_(data.valid.texts(0, textsNeeded(config_))),
      device_(device),
      runFolder_(std::move(runFolder)),
      maybeResolver_(maybeResolver) {}

int Evaluator::promptCount() const {
    const auto wanted = config_.integer("eval.prompt_count");
    const auto& texts = data_.prompts;
    // Of texts samples without a prompt: as many as are wanted.
    const bool free = data_.texts && !data_.documents && data_.promptEnd.empty() && !rewritesTexts(config_);
    if (free && texts.empty()) return static_cast<int>(wanted);
    const std::size_t there = texts.empty() ? data_.valid.size() : texts.size();
    return static_cast<int>(std::min(wanted, static_cast<std::int64_t>(there)));
}

Evaluator::FixedPrompt Evaluator::promptAt(int prompt) const {
    const auto at = static_cast<std::size_t>(prompt);
    const auto& texts = data_.prompts.empty() ? *validTexts_ : data_.prompts;
    if (!data_.texts) return {{texts[at].source}, texts[at].target};
    if (rewritesTexts(config_)) return {{texts[at].target}, texts[at].target};
    if (data_.prompts.empty()) return {samplePrompt(data_, (*validTexts_)[at].target), ""};
    return {text::textPrompt(texts[at].target), ""};
}

std::map<std::string, double> Evaluator::validationLoss(SequenceModel& model,
                                                        const std::function<void()>& alive) const {
    const auto pairs = static_cast<std::size_t>(config_.integer("eval.loss_pairs"));
    std::map<std::string, double> losses;
    for (const auto& [name, score] : lossScores(model, data_.valid, {pairs, kValidationSeed, alive}))
        losses[validName(name)] = score.value;
    return losses;
}

Status Evaluator::evaluateSamples(SequenceModel& model, const std::function<void()>& alive,
                                  EvaluationReport& report) const {
    const auto pairs =
        std::min(static_cast<std::size_t>(config_.integer("eval.samples")), data_.valid.size());
    DecodeRequest request;
    ComparedTexts texts;
    KURVE_CHECKED(addSamplePrompts(request, pairs));
    const bool compared = !data_.texts || rewritesTexts(config_);
    for (std::size_t p = 0; p < pairs && compared; ++p) {
        const auto target = data_.valid.target(p);
        texts.references.push_back(text::referenceText(*data_.target, (*validTexts_)[p].target));
        texts.referenceTokens.emplace_back(target.begin() + 1, target.end() - 1);
    }
    request.collectStatistics = true;
    request.progress = [&](std::size_t) { alive(); };
    KURVE_TRY(DecodedSet set, decode(text(model), request, config_));
    leavePromptsOut(data_, request, set);
    for (const auto& row : set.rows) {
        texts.outputs.push_back(row.output);
        texts.outputTokens.push_back(row.ids);
    }
    if (compared)
        scoreTexts(texts, model, report.metrics);
    else
        scoreFreeTexts(texts, report.metrics);
    for (const auto& [name, mean] : set.sampleStatistics)
        if (mean.count > 0) report.metrics[validName(name)] = mean.sum / mean.count;
    return {};
}

Status Evaluator::addSamplePrompts(DecodeRequest& request, std::size_t count) const {
    for (std::size_t p = 0; p < count; ++p) {
        if (data_.texts && !rewritesTexts(config_)) {
            KURVE_CHECKED(addPrompt(request, data_, samplePrompt(data_, (*validTexts_)[p].target), config_));
            continue;
        }
        const auto ids = data_.texts ? data_.valid.target(p) : data_.valid.source(p);
        request.sources.emplace_back(ids.begin(), ids.end());
        request.texts.push_back(data_.texts ? (*validTexts_)[p].target : (*validTexts_)[p].source);
    }
    return {};
}

// Pairs with an exact likelihood have their nll in the loss.
Status Evaluator::evaluateLikelihood(SequenceModel& model, EvaluationReport& report) const {
    if (model.likelihoodBound() == nullptr && !data_.texts) return {};
    const auto count =
        std::min(static_cast<std::size_t>(config_.integer("eval.loss_pairs")), data_.valid.size());
    ScoredExamples which{{validTexts_->begin(), validTexts_->begin() + static_cast<std::ptrdiff_t>(count)},
                         *data_.target,
                         /*draws=*/1,
                         kValidationSeed};
    KURVE_TRY(const auto scores, likelihoodScores(model, data_.valid, which));
    for (const auto& [id, score] : scores) report.metrics[validName(id)] = score.value;
    return {};
}

Status Evaluator::evaluateBrier(SequenceModel& model, const std::function<void()>& alive,
                                EvaluationReport& report) const {
    BrierDraws* const draws = model.brierDraws();
    if (draws == nullptr || !draws->isCheap()) return {};
    const auto count =
        std::min(static_cast<std::size_t>(config_.integer("eval.loss_pairs")), data_.valid.size());
    BrierRequest request;
    for (std::size_t i = 0; i < count; ++i) {
        const auto target = data_.valid.target(i);
        request.texts.emplace_back(target.begin(), target.end());
    }
    request.draws = kBrierDraws;
    request.seed = kValidationSeed;
    request.alive = alive;
    KURVE_TRY(const auto scores, brierScores(*draws, request, config_));
    if (scores.empty()) return {};
    for (std::size_t n = 1; n <= metrics::kBrierOrders; ++n)
        report.metrics[validName(fmt::format("brier_{}", n))] = scores.at(metrics::brierId(n)).value;
    report.metrics[validName(metrics::kBrierLm)] = scores.at(metrics::kBrierLm).value;
    return {};
}

double Evaluator::copyBleu() const {
    const auto pairs =
        std::min(static_cast<std::size_t>(config_.integer("eval.samples")), data_.valid.size());
    if (pairs == 0 || data_.texts || !validTexts_) return std::nan("");
    std::vector<std::string> sources, references;
    for (std::size_t p = 0; p < pairs; ++p) {
        sources.push_back(text::referenceText(*data_.target, (*validTexts_)[p].source));
        references.push_back(text::referenceText(*data_.target, (*validTexts_)[p].target));
    }
    return bleu(sources, references);
}

Status Evaluator::evaluatePrompt(SequenceModel& model, int prompt, const TraceOrigin& origin,
                                 EvaluationReport& report) const {
    const FixedPrompt fixed = promptAt(prompt);
    // With latents and control points: the curve view shows how they move over training as well as over
    // steps.
    TraceRequest request{fixed.prompt,
                         fixed.reference,
                         static_cast<std::uint64_t>(config_.integer("seed")),
                         {"latent", "curve"},
                         {}};
    // Samples without a prompt would all be one.
    if (fixed.prompt.kind == text::PromptKind::Nothing) request.row = static_cast<std::uint64_t>(prompt);
    store::RunFile file(fmt::format("traces/step-{:08}-prompt-{}.safetensors", origin.step, prompt));
    const store::TraceRow row{origin.step, prompt, file, nameOf(fixed.prompt, prompt), "", 0};
    if (auto growing = growingRunTrace(runFolder_, row))
        request.growing = std::move(*growing);
    else if (report.problems.empty())
        report.problems.push_back(growing.error());
    KURVE_TRY(const RecordedTrace recorded, recordTrace(text(model), request, config_, origin));
    if (report.problems.empty()) saveTrace(recorded, row, report);
    if (!report.problems.empty()) file = {};
    report.samples.push_back({origin.step, prompt, nameOf(fixed.prompt, prompt), recorded.decoded.output,
                              fixed.reference, recorded.decoded.score, file});
    return {};
}

// After the first trace that cannot be written no other is tried: the disk is full or read-only.
void Evaluator::saveTrace(const RecordedTrace& recorded, store::TraceRow row,
                          EvaluationReport& report) const {
    if (const auto written = saveRunTrace(runFolder_, recorded, row); !written)
        return report.problems.push_back(written.error());
    report.traces.push_back(std::move(row));
}

Result<EvaluationReport> Evaluator::evaluate(SequenceModel& model, const TraceOrigin& origin,
                                             const std::function<void()>& alive) const {
    if (!validTexts_) return validTexts_.error();
    EvaluationReport report;
    for (int p = 0; p < promptCount(); ++p) {
        KURVE_CHECKED(evaluatePrompt(model, p, origin, report));
        alive();
    }
    if (config_.integer("eval.loss_pairs") > 0 && data_.valid.size() > 0) {
        report.metrics.merge(validationLoss(model, alive));
        KURVE_CHECKED(evaluateLikelihood(model, report));
        KURVE_CHECKED(evaluateBrier(model, alive, report));
    }
    if (config_.integer("eval.samples") > 0 && data_.valid.size() > 0) {
        KURVE_CHECKED(evaluateSamples(model, alive, report));
    }
    return report;
}

}  // namespace kurve::train
