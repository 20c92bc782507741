#include "tests/core/train/echo_family.h"

#include <algorithm>

#include "core/tensor/random.h"
#include "core/text/trained_specials.h"
#include "core/train/run_reference.h"

namespace kurve::train::testing {
namespace {

struct EchoNetImpl : torch::nn::Module {
    EchoNetImpl(std::int64_t vocabulary, std::int64_t width) {
        embed = register_parameter("embed", at::zeros({vocabulary, width}));
        hidden = register_module("hidden", torch::nn::Linear(width, width));
        out = register_module("out", torch::nn::Linear(width, vocabulary));
        register_buffer("scale", at::ones({1}));
    }
    at::Tensor states(const at::Tensor& noisy) { return at::tanh(hidden(noisy)); }
    at::Tensor forward(const at::Tensor& noisy) { return out(states(noisy)); }

    at::Tensor embed;
    torch::nn::Linear hidden{nullptr}, out{nullptr};
};
TORCH_MODULE(EchoNet);

class EchoModel : public SequenceModel {
public:
    EchoModel(const RunConfig& config, const TextShape& shape, std::unique_ptr<SequenceModel> base)
        : net_(shape.targetVocabulary, config.integer("model.width")),
          base_(std::move(base)),
          explodeAt_(config.integer("model.explode_at")) {
        torch::NoGradGuard noGrad;
        const auto seed = static_cast<std::uint64_t>(config.integer("seed"));
        std::uint64_t index = 0;
        for (auto& parameter : net_->parameters())
            tensor::fillNormal(parameter, StreamId(seed, "init", index++), 0, 0.3);
    }
    torch::nn::Module& module() override { return *net_; }

    LossReport loss(const DeviceBatch& batch, const StepRandom& random) override {
        const std::int64_t length = std::min(batch.sourceLength, batch.targetLength);
        const auto source = batch.source.narrow(1, 0, length), target = batch.target.narrow(1, 0, length);
        auto x = embedded(source);
        const auto device = x.device();
        const tensor::RowStream noise{random.stream("train.noise"), random.row};
        x = x + 0.1 * tensor::normalRows(x.sizes(), noise, device);
        const auto logits = net_->forward(x);
        // Not cross_entropy_loss(), which does not work on shapes alone (memory_need.h).
        const auto nll = -at::log_softmax(logits, -1).gather(-1, target.unsqueeze(-1)).squeeze(-1);
        const auto mask = batch.targetMask.narrow(1, 0, length).to(at::kFloat);
        LossReport report;
        report.total = (nll * mask).sum() / mask.sum();
        if (explodeAt_ > 0 && static_cast<std::int64_t>(random.step) + 1 == explodeAt_)
            report.total = report.total + net_->hidden->weight.sum() * INFINITY;
        report.parts["nll"] = ((nll * mask).sum() / mask.sum()).detach();
        report.logSnr = at::full({batch.rows}, 2.0);
        report.rowLoss = (nll.detach() * mask).sum(1) / mask.sum(1);
        return report;
    }

    Result<Generation> generate(const GenerateRequest& request, const RunConfig& sampler,
                                trace::TraceSink* maybeTrace) override {
        torch::NoGradGuard noGrad;
        Generation out;
        for (const auto& source : request.sources) {
            if (request.cancel.requested()) return cancelled(out);
            const auto ids = at::tensor(std::vector<std::int64_t>(source.begin(), source.end()));
            const auto best = net_->forward(embedded(ids)).argmax(-1);
            Candidate candidate;
            for (std::int64_t i = 1; i + 1 < best.size(0); ++i)
                candidate.ids.push_back(best[i].item<std::int32_t>());
            out.rows.push_back({candidate, {candidate}});
        }
        out.networkCalls = sampler.integer("sampler.steps");
        if (maybeTrace != nullptr) record(*maybeTrace, out.rows.front().best.ids);
        return out;
    }

    std::map<std::string, double> healthMetrics() override {
        return {{"embedding_std", net_->embed.detach().std().item<double>()}};
    }

private:
    /// Of a run of a run, from the first one up.
    at::Tensor embedded(const at::Tensor& ids) {
        const auto own = at::embedding(net_->embed, ids);
        if (base_ == nullptr) return own;
        auto& base = dynamic_cast<EchoModel&>(*base_);
        return own + base.net_->states(base.embedded(ids));
    }
    static Generation cancelled(Generation out) {
        out.cancelled = true;
        return out;
    }
    static void record(trace::TraceSink& into, const std::vector<std::int32_t>& ids) {
        trace::Trace trace;
        trace.steps = 1;
        trace.positions = static_cast<int>(ids.size());
        const auto cells = ids.size();
        trace.tokens.assign(ids.begin(), ids.end());
        trace.state.assign(cells, static_cast<std::uint8_t>(trace::TokenState::New));
        trace.confidence.assign(cells, 0.5F);
        trace.entropy.assign(cells, 1.0F);
        trace.margin.assign(cells, 0.1F);
        trace.topIds.assign(cells * trace::kTopCandidates, text::kUnk);
        trace.topProbability.assign(cells * trace::kTopCandidates, 0.125F);
        trace.t = {0};
        trace.logSnr = {5};
        into.begin(1);
        into.append(trace);
    }

    EchoNet net_;
    std::unique_ptr<SequenceModel> base_;  // frozen, null without model.base
    std::int64_t explodeAt_;
};

}  // namespace

Schema EchoFamily::ownSchema() const {
    Schema schema;
    schema.family = "echo";
    schema.title = "Echo";
    schema.fields = {integerField("model.width", 16, "width").range(1, 64),
                     runField("model.base", "frozen run below this one").fits({"echo"}),
                     integerField("model.explode_at", 0, "step whose gradient is infinite"),
                     integerField("sampler.steps", 3, "steps").range(1, 100)};
    return schema;
}

Result<std::unique_ptr<SequenceModel>> EchoFamily::create(const RunConfig& config,
                                                          const ModelContext& context) const {
    std::unique_ptr<SequenceModel> base;
    KURVE_TRY(const auto run, referencedRun(context, config, "model.base"));
    if (run != nullptr) {
        KURVE_CHECKED(checkSameTokenizer(context, *run));
        KURVE_TRY(base, run->frozenModel(context.device));
    }
    return std::unique_ptr<SequenceModel>(
        std::make_unique<EchoModel>(config, context.shape, std::move(base)));
}

SchemaLookup echoSchemas() {
    return [](const std::string&) -> Result<std::shared_ptr<const Schema>> {
        return std::make_shared<const Schema>(schemaOf(EchoFamily()));
    };
}

RunConfig echoConfig(std::vector<Override> overrides) {
    const std::string text =
        "family = \"echo\"\n[train]\nlr = 0.02\nwarmup_steps = 5\nschedule = \"constant\"\nbatch_tokens = "
        "64\n"
        "weight_decay = 0.0\n";
    auto config = RunConfig::parse(text, "echo.toml", echoSchemas(), overrides);
    if (!config) throw std::runtime_error(config.error().text());
    return *config;
}

std::shared_ptr<const text::Split> echoSplit(int pairs, std::uint64_t seed) {
    RandomStream random(seed, "echo.split");
    std::vector<std::int32_t> all;
    std::vector<std::uint64_t> offset{0};
    std::vector<text::Pair> texts;
    for (int p = 0; p < pairs; ++p) {
        std::vector<std::int32_t> ids{text::kBos};
        const auto length = 3 + random.below(7);
        for (std::uint64_t i = 0; i < length; ++i)
            ids.push_back(text::kFirstRegularToken + static_cast<std::int32_t>(random.below(
                                                         kEchoVocabulary - text::kFirstRegularToken)));
        ids.push_back(text::kEos);
        for (int side = 0; side < 2; ++side) {
            all.insert(all.end(), ids.begin(), ids.end());
            offset.push_back(all.size());
        }
        texts.push_back({"pair " + std::to_string(p), "pair " + std::to_string(p)});
    }
    return std::make_shared<text::Split>(
        text::Split::inMemory(std::move(all), std::move(offset), std::move(texts)));
}

TextShape echoShape() {
    return {kEchoVocabulary, kEchoVocabulary, true, 16, true, text::kTrainedSpecials};
}

}  // namespace kurve::train::testing
