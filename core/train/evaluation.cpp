#include "core/train/evaluation.h"

#include <cmath>
#include <numeric>

#include "core/metrics/embedding_match.h"
#include "core/metrics/metric.h"
#include "core/trace/trace.h"
#include "core/train/device_batch.h"
#include "core/train/inference_server.h"

namespace kurve::train {
namespace {

constexpr std::uint64_t kValidationSeed = 20'200;  // one noise for all runs, so that their losses compare

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

}  // namespace

Evaluator::Evaluator(const text::Dataset& data, RunConfig config, c10::Device device,
                     std::filesystem::path runFolder, RunResolver* maybeResolver)
    : data_(data),
      config_(std::move(config)),
      device_(device),
      runFolder_(std::move(runFolder)),
      maybeResolver_(maybeResolver) {}

int Evaluator::promptCount() const {
    return static_cast<int>(std::min<std::int64_t>(config_.integer("eval.prompt_count"),
                                                   static_cast<std::int64_t>(prompts().size())));
}

std::map<std::string, double> Evaluator::validationLoss(SequenceModel& model,
                                                        const std::function<void()>& alive) const {
    torch::NoGradGuard noGrad;
    constexpr auto kRows = static_cast<std::size_t>(kLossRows);
    const auto pairs =
        std::min(static_cast<std::size_t>(config_.integer("eval.loss_pairs")), data_.valid.size());
    std::map<std::string, double> sums;
    double tokens = 0;
    for (std::size_t first = 0; first < pairs; first += kRows) {
        std::vector<std::int32_t> rows(std::min(kRows, pairs - first));
        std::iota(rows.begin(), rows.end(), static_cast<std::int32_t>(first));
        const DeviceBatch batch = toDevice(text::makeBatch(data_.valid, rows), device_);
        const LossReport loss = model.loss(batch, {kValidationSeed, first / kRows, 0});
        const double weight = loss.rowTokens.defined() ? loss.rowTokens.sum().item<double>()
                                                       : static_cast<double>(batch.targetTokens);
        tokens += weight;
        sums[validName("loss")] += weight * loss.total.item<double>();
        for (const auto& [name, value] : loss.parts) sums[validName(name)] += weight * value.item<double>();
        alive();
    }
    for (auto& [name, sum] : sums) sum /= tokens;
    return sums;
}

Status Evaluator::evaluateSamples(SequenceModel& model, const std::function<void()>& alive,
                                  EvaluationReport& report) const {
    const auto pairs =
        std::min(static_cast<std::size_t>(config_.integer("eval.samples")), data_.valid.size());
    DecodeRequest request;
    ComparedTexts texts;
    for (std::size_t p = 0; p < pairs; ++p) {
        const auto ids = data_.valid.source(p), target = data_.valid.target(p);
        request.sources.emplace_back(ids.begin(), ids.end());
        request.texts.push_back(data_.valid.texts[p].source);
        texts.references.push_back(data_.valid.texts[p].target);
        texts.referenceTokens.emplace_back(target.begin() + 1, target.end() - 1);
    }
    request.collectStatistics = true;
    request.progress = [&](std::size_t) { alive(); };
    KURVE_TRY(const DecodedSet set, decode(text(model), request, config_));
    for (const auto& row : set.rows) {
        texts.outputs.push_back(row.output);
        texts.outputTokens.push_back(row.ids);
    }
    scoreTexts(texts, model, report.metrics);
    for (const auto& [name, mean] : set.sampleStatistics)
        if (mean.count > 0) report.metrics[validName(name)] = mean.sum / mean.count;
    return {};
}

double Evaluator::copyBleu() const {
    const auto pairs =
        std::min(static_cast<std::size_t>(config_.integer("eval.samples")), data_.valid.size());
    if (pairs == 0) return std::nan("");
    std::vector<std::string> sources, references;
    for (std::size_t p = 0; p < pairs; ++p) {
        sources.push_back(data_.valid.texts[p].source);
        references.push_back(data_.valid.texts[p].target);
    }
    return bleu(sources, references);
}

Status Evaluator::evaluatePrompt(SequenceModel& model, int prompt, const TraceOrigin& origin,
                                 EvaluationReport& report) const {
    const text::Pair& pair = prompts().texts[static_cast<std::size_t>(prompt)];
    // With latents and control points: the curve view shows how they move over training as well as over
    // steps.
    TraceRequest request{pair.source,
                         pair.target,
                         static_cast<std::uint64_t>(config_.integer("seed")),
                         {"latent", "curve"},
                         {}};
    KURVE_TRY(const RecordedTrace recorded, recordTrace(text(model), request, config_, origin));
    store::RunFile file(fmt::format("traces/step-{:08}-prompt-{}.safetensors", origin.step, prompt));
    if (report.problems.empty())
        saveTrace(recorded.trace, {origin.step, prompt, file, pair.source, "", 0}, report);
    if (!report.problems.empty()) file = {};
    report.samples.push_back({origin.step, prompt, pair.source, recorded.decoded.output, pair.target,
                              recorded.decoded.score, file});
    return {};
}

// After the first trace that cannot be written no other is tried: the disk is full or read-only.
void Evaluator::saveTrace(const trace::Trace& trace, store::TraceRow row, EvaluationReport& report) const {
    if (const auto written = writeRunTrace(runFolder_, trace, row); !written)
        return report.problems.push_back(written.error());
    report.traces.push_back(std::move(row));
}

Result<EvaluationReport> Evaluator::evaluate(SequenceModel& model, const TraceOrigin& origin,
                                             const std::function<void()>& alive) const {
    EvaluationReport report;
    for (int p = 0; p < promptCount(); ++p) {
        KURVE_CHECKED(evaluatePrompt(model, p, origin, report));
        alive();
    }
    if (config_.integer("eval.loss_pairs") > 0 && data_.valid.size() > 0)
        report.metrics.merge(validationLoss(model, alive));
    if (config_.integer("eval.samples") > 0 && data_.valid.size() > 0) {
        KURVE_CHECKED(evaluateSamples(model, alive, report));
    }
    return report;
}

}  // namespace kurve::train
