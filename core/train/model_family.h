#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/alerts/family_watch.h"
#include "core/base/cancel_token.h"
#include "core/base/random_stream.h"
#include "core/config/run_config.h"
#include "core/text/prompt.h"
#include "core/trace/edit.h"
#include "core/trace/trace_writer.h"

namespace torch::nn {
class Module;
}

namespace kurve::train {

class BrierDraws;
class ChunkAutoencoder;
class CorpusVectors;
class Likelihood;
class LikelihoodBound;
class MultiTokenPrediction;
class PublishedFormat;
class RunResolver;
class SentenceEncoder;

/// What a model must know of the data: sizes only, never texts.
struct TextShape {
    std::int64_t sourceVocabulary = 0, targetVocabulary = 0;
    bool jointVocabulary = true;  ///< one table of ids for both sides
    std::int64_t maxLength = 0;   ///< longest source or target in tokens, BOS and EOS included
    bool hasSource = true;        ///< false: texts or documents alone (data.kind)
    text::SpecialIds special;     ///< of both sides; all but unk are there
};

/// What a model is made for.
struct ModelContext {
    TextShape shape;
    c10::Device device = c10::kCPU;
    /// Finds the runs that the config's fields of type Run name (run_reference.h); null: none can be found.
    RunResolver* maybeResolver = nullptr;
    std::string tokenizer = {};  ///< tokenizerHash() of the run's own tokenizers; empty: not known
};

/// A batch on the device. Lengths stay on the host as well, so that no code needs a sync to know a size. Of
/// texts without a source S is 0.
struct DeviceBatch {
    at::Tensor source, target;          ///< [B, S] i64, [B, L] i64, padded with TextShape::special.pad
    at::Tensor sourceMask, targetMask;  ///< [B, S], [B, L] bool, true = real token
    std::vector<std::int32_t> sourceLengths, targetLengths;  ///< [B]
    std::int64_t rows = 0, sourceLength = 0, targetLength = 0, targetTokens = 0;
    /// Where it is a part of a step: SequenceModel::lossDenominators() summed over all parts. Else empty.
    std::vector<double> stepDenominators = {};
    std::vector<std::int32_t> sentences = {};        ///< [documents] rows of each; empty without documents
    std::vector<std::int32_t> promptSentences = {};  ///< [documents] the first ones, given: not predicted
    at::Tensor hostTarget = {};                      ///< `target` in the memory of the host
};

/// Where the random numbers of one step come from. Every draw: streams.at(purpose) gives a StreamId; on any
/// device the same id gives the same numbers (core/tensor/random.h).
struct StepRandom {
    std::uint64_t seed = 0;
    std::uint64_t step = 0;
    std::uint64_t row =
        0;  ///< index of the batch's first row in the whole step's batch (replicas split a batch)
    [[nodiscard]] StreamId stream(std::string_view purpose) const { return {seed, purpose, step}; }
};

/// The graded loss of one step. Everything stays on the device; nothing here syncs.
struct LossReport {
    at::Tensor total;                         ///< scalar, differentiable
    std::map<std::string, at::Tensor> parts;  ///< detached scalars: "loss_token", "nll", …
    at::Tensor logSnr, rowLoss;  ///< [B] f32 detached: for loss against noise level; undefined if none
    at::Tensor noiseStep;        ///< [B] i64: what observe() gets beside rowLoss; undefined: it wants none
    /// [B] f32: of how many tokens a row's rowLoss is the mean (those that were masked, …); undefined: of all
    /// of its target. The total without the loss of lengths is the mean of rowLoss weighted by it.
    at::Tensor rowTokens;
};

/// What a layer put out in a pass: [B, M, width], detached; the mask is -inf where there is padding, [B, 1,
/// 1, M], or undefined if there is none.
struct Activation {
    at::Tensor values, maybeMask;
};
/// By group of layers, named as layerGroup() names their parameters.
using Activations = std::map<std::string, Activation>;

/// Different sentences, ids with BOS and EOS.
using SentenceCorpus = std::vector<std::vector<std::int32_t>>;

/// One request to a sampler.
struct GenerateRequest {
    std::vector<std::vector<std::int32_t>>
        sources;  ///< ids with BOS and EOS; without tokens if there is none
    std::vector<text::TextTemplate> templates = {};  ///< by source, what is known of the text; empty: nothing
    /// Optional, for a trace of source 0 only: its reference, of a document its sentences.
    std::vector<std::vector<std::int32_t>> references;
    std::uint64_t seed = 1;
    /// Source i draws the random numbers of row firstRow + i: a sentence alone can so be given those that it
    /// had among others.
    std::uint64_t firstRow = 0;
    std::vector<std::string>
        what;  ///< blocks to record with a trace: "latent", "curve", "attention", "hidden"
    CancelToken cancel;
    /// Candidate of source 0 that is recorded and best, whatever the selector says; needed for edits if there
    /// are several. All candidates are computed all the same, so that its numbers do not change.
    std::optional<std::int64_t> candidate = std::nullopt;
    bool collectStatistics = false;  ///< fill Candidate::sampleStatistics, where the family has such
    /// Interventions on that candidate, in the order in which they are applied within a step.
    std::vector<trace::Edit> edits = {};
    /// Text of ids, and of one as a trace shows it ("▁the"), for the texts of a trace's sentences and chunks;
    /// empty without a trace.
    std::function<std::string(const std::vector<std::int32_t>&)> textOf = {};
    std::function<std::string(std::int32_t)> tokenText = {};
    /// Of which a trace of sentences names the nearest; null: none.
    std::shared_ptr<const SentenceCorpus> maybeCorpus = nullptr;
};
/// Sum and count of a mean.
struct MeanAccumulator {
    double sum = 0, count = 0;
};
struct Candidate {
    std::vector<std::int32_t> ids;  ///< without BOS, EOS, pad
    double score = 0;               ///< the selector's score
    /// Which of the source's candidates it is, as in GenerateRequest::candidate.
    std::int64_t number = 0;
    std::map<std::string, MeanAccumulator> sampleStatistics = {};  ///< "similarity_logits_4", …
    std::vector<std::int32_t> sentences = {};  ///< of a document: tokens of each; empty: one text
};
struct GeneratedRow {
    Candidate best;
    std::vector<Candidate> candidates;  ///< all beams, best first
};
struct Generation {
    std::vector<GeneratedRow> rows;  ///< one per source
    std::int64_t networkCalls = 0;   ///< decoder evaluations (batched calls)
    bool cancelled = false;
};

/// Where the initial value of a parameter stands in a model of another family.
struct InitialSource {
    std::string name;
    /// A table of `addedRows` rows there, the first of which is added to every row (BERT's token types).
    std::string maybeAdded = {};
    std::int64_t addedRows = 0;
    bool ofTokens = false;  ///< a row for each token of the source: both need one tokenizer for it
};
using InitialSources = std::map<std::string, InitialSource>;  ///< by the name here

/// A trained or trainable network of one family. Not thread-safe; one thread at a time. Its module's
/// parameters are what checkpoints hold, by name.
class SequenceModel {
public:
    virtual ~SequenceModel() = default;
    virtual torch::nn::Module& module() = 0;
    /// Training loss with gradients (module in train mode) or validation loss (eval mode, still with noise
    /// from `random`).
    virtual LossReport loss(const DeviceBatch& batch, const StepRandom& random) = 0;
    /// Whether its fields fit what it is to be trained on; what is odd and no error goes into `warnings`, a
    /// line each. Before the first step.
    [[nodiscard]] virtual Status checkTraining(const text::Split& /*train*/,
                                               std::vector<std::string>& /*warnings*/) const {
        return {};
    }
    /// How many items the terms of that loss are means over (masked tokens, pairs, rows, …). A family that
    /// gives them divides in loss() by those of the whole step (DeviceBatch::stepDenominators), so that a
    /// split batch's losses and gradients add up to the whole one's; of one that does not, the parts' means
    /// are weighted by target tokens. Host only, no sync.
    [[nodiscard]] virtual std::vector<double> lossDenominators(const DeviceBatch& /*batch*/,
                                                               const StepRandom& /*random*/) const {
        return {};
    }
    /// Once a training step, after its losses: LossReport::noiseStep and rowLoss of all its rows, in their
    /// order, whatever parts it was computed in. Of the first replica, whose buffers are all replicas'.
    virtual void observe(const at::Tensor& /*noiseSteps*/, const at::Tensor& /*losses*/) {}
    /// What train.init_from takes of a run of another family: nothing by default. Errors: what such a run
    /// has otherwise and no shape shows (model.heads, …).
    [[nodiscard]] virtual Result<InitialSources> initialSources(const RunConfig& /*other*/) const {
        return InitialSources();
    }
    /// From now on loss() leaves there what its layers put out; null: no more. `maybeInto` outlives that.
    /// Nothing by default.
    virtual void keepActivations(Activations* /*maybeInto*/) {}
    /// sampler.* come from `sampler` (a config of this family); a selection by another model is for the
    /// caller (reranker.h): candidates come by the family's own score. `maybeTrace` gets the best candidate
    /// of source 0, step by step. Which one that is is known at the end only: until then it gets
    /// GenerateRequest::candidate, or the one of the likeliest length, and then the best one's steps if that
    /// is another. Errors with edits: branch.unsupported, branch.point, branch.values,
    /// branch.candidate.
    virtual Result<Generation> generate(const GenerateRequest& request, const RunConfig& sampler,
                                        trace::TraceSink* maybeTrace) = 0;
    /// The largest operation of generate() on `device`, done once in evaluation mode for (some of) these
    /// pairs: to know the memory it takes. Like loss() on shapes without data (device "meta"), hence without
    /// reading a value. Nothing by default: then decoding must take less than training.
    virtual void dryRunDecoding(const DeviceBatch& /*longest*/, const RunConfig& /*sampler*/,
                                c10::Device /*device*/) {}
    /// The interventions that this model supports (GenerateRequest::edits); none by default.
    [[nodiscard]] virtual std::vector<trace::EditKind> edits() const { return {}; }
    /// Its exact likelihood; null for a family that has none.
    [[nodiscard]] virtual Likelihood* likelihood() { return nullptr; }
    /// An upper bound of the negative one; null for a family that has none.
    [[nodiscard]] virtual LikelihoodBound* likelihoodBound() { return nullptr; }
    /// Its draws of the next tokens, by which any model can be scored; null for a family that does not draw
    /// them from left to right.
    [[nodiscard]] virtual BrierDraws* brierDraws() { return nullptr; }
    /// Its prediction of several tokens at once; null for a family that predicts one, or all of a text.
    [[nodiscard]] virtual MultiTokenPrediction* multiTokenPrediction() { return nullptr; }
    /// Its vectors of chunks, and what they give back; null for a family that has none.
    [[nodiscard]] virtual ChunkAutoencoder* chunkAutoencoder() { return nullptr; }
    /// The vectors of sentences that it reads from a frozen encoder, which can be computed beforehand
    /// (corpus_vectors.h); null for a model that reads none.
    [[nodiscard]] virtual CorpusVectors* corpusVectors() { return nullptr; }
    /// The vectors that it gives sentences; null for a family that has none.
    [[nodiscard]] virtual SentenceEncoder* sentenceEncoder() { return nullptr; }
    /// Embeddings of the target's tokens, [V, width], for metrics that compare texts by them; undefined if it
    /// has none.
    [[nodiscard]] virtual at::Tensor tokenEmbeddings() { return {}; }
    /// FLOPs of training a target token, forward and backward; 0: 6 x trained + 2 x frozen parameters.
    [[nodiscard]] virtual double trainingFlops() { return 0; }
    /// Where training chooses its noise levels by what it learns: [T] log-SNR and [T] probability of each.
    /// Else undefined.
    [[nodiscard]] virtual std::pair<at::Tensor, at::Tensor> levelProbabilities() const { return {}; }
    /// Scalars worth watching that cost little: "embedding_std", … Called at log points, may sync.
    virtual std::map<std::string, double> healthMetrics() { return {}; }
    /// What healthMetrics() says of the training so far and the weights do not hold; for checkpoints.
    [[nodiscard]] virtual std::map<std::string, double> history() const { return {}; }
    virtual void setHistory(const std::map<std::string, double>& /*history*/) {}
};

/// A model family: its fields and its factory. Stateless; one folder under models/ and one line in
/// models/families.cpp.
class ModelFamily {
public:
    virtual ~ModelFamily() = default;
    /// Fields of this family only (model.*, diffusion.*, map.*, init.*, sampler.*); the common ones are added
    /// by schemaOf(). Schema::prompts says which kinds of data and prompts it takes, Schema::scalars what its
    /// training logs.
    [[nodiscard]] virtual Schema ownSchema() const = 0;
    /// What a training watches for. unigramEntropy: nats a token of the training targets.
    [[nodiscard]] virtual std::vector<std::unique_ptr<alerts::FamilyWatch>> watches(
        double /*unigramEntropy*/) const {
        return {};
    }
    /// Errors: what only the whole config shows (model.heads not dividing model.hidden, a position table too
    /// short, …), with `field` set. Parameters are initialised from the stream "init" of the config's seed.
    /// On the device "meta" the model has shapes without data; what its create() and loss() make there is
    /// counted, to know before a start how much memory it takes (memory_need.h).
    [[nodiscard]] virtual Result<std::unique_ptr<SequenceModel>> create(
        const RunConfig& config, const ModelContext& context) const = 0;
    /// False: its models come from elsewhere and have no loss.
    [[nodiscard]] virtual bool trains() const { return true; }
    /// How its models are published elsewhere (published_format.h); null: not known here.
    [[nodiscard]] virtual const PublishedFormat* maybePublishedFormat() const { return nullptr; }
};

/// Common fields (seed, data.*, train.*, eval.*, checkpoint.*, log.*) followed by the family's.
[[nodiscard]] Schema schemaOf(const ModelFamily& family);

}  // namespace kurve::train
