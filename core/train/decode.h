#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/dataset.h"
#include "core/trace/candidates.h"
#include "core/train/model_family.h"
#include "core/train/reranker.h"

namespace kurve::train {

/// Of a source or target: ids with BOS and EOS, as models take them.
[[nodiscard]] std::vector<std::int32_t> encodeWithSpecials(const text::Tokenizer& tokenizer,
                                                           std::string_view text);
[[nodiscard]] TextShape shapeOf(const text::Tokenizers& tokenizers, const RunConfig& config);
/// What ModelFamily::create() is to know.
[[nodiscard]] ModelContext contextOf(const text::Tokenizers& tokenizers, const RunConfig& config,
                                     c10::Device device, RunResolver* maybeResolver);

/// A model with all that is needed to turn texts into texts. Refers to things that outlive it.
struct TextModel {
    SequenceModel& model;
    const text::Tokenizers& tokenizers;
    RunResolver* maybeResolver = nullptr;  ///< for samplers that rank candidates with another run
    /// That traces of sentences are compared with; null: none.
    std::shared_ptr<const SentenceCorpus> maybeCorpus = nullptr;
};
/// Sentences of the training split, `most` at most, from its beginning; null where the data has no documents.
[[nodiscard]] std::shared_ptr<const SentenceCorpus> sentenceCorpus(const text::Dataset& data,
                                                                   std::size_t most = 2048);

struct Decoded {
    std::string output;
    double score = 0;
    std::vector<trace::TextCandidate> candidates;  ///< all beams, best first; empty if there is one
    std::vector<std::int32_t> ids = {};            ///< the output's tokens, without BOS, EOS, pad
    std::vector<std::string> sentences = {};       ///< of a document, the prompt's first; empty: one text
    /// Of decode(): which noise it drew. TraceRequest with the request's seed + seedOffset and this row draws
    /// the same.
    std::uint64_t seedOffset = 0, row = 0;
    std::map<std::string, double> statistics = {};  ///< means of Candidate::sampleStatistics
};
struct DecodeRequest {
    std::vector<std::vector<std::int32_t>> sources;
    std::vector<text::TextTemplate> templates = {};  ///< as GenerateRequest
    std::vector<std::string> texts = {};  ///< of the sources, for a scorer; empty: decoded from the ids
    std::uint64_t seed = 1;
    int rowsPerCall = 64;
    CancelToken cancel;
    bool collectStatistics = false;                  ///< fill DecodedSet::sampleStatistics
    std::function<void(std::size_t done)> progress;  ///< after every call; may be empty
};
/// Adds one prompt to it. Errors: prompt.unsupported, those of text::encodePrompt().
Status addPrompt(DecodeRequest& request, const text::Tokenizers& tokenizers, const text::Prompt& prompt,
                 const RunConfig& config);
/// Whether the family takes it with the run's kind of data. Errors: prompt.unsupported.
[[nodiscard]] Status checkPromptKind(const RunConfig& config, text::PromptKind kind);

struct DecodedSet {
    std::vector<Decoded> rows;
    std::int64_t networkCalls = 0;
    bool cancelled = false;
    std::map<std::string, MeanAccumulator> sampleStatistics;  ///< Candidate::sampleStatistics of all outputs
};
/// Generates for all sources, similar lengths together; the order of the result is that of the request.
/// `sampler` gives the sampler.* fields. The model should be in evaluation mode. Errors: sample.scorer, and
/// those of model and scorer.
Result<DecodedSet> decode(const TextModel& text, const DecodeRequest& request, const RunConfig& sampler);

/// What a trace says about where it comes from.
struct TraceOrigin {
    std::string run, checkpoint, checkpointSha256;
    std::int64_t step = 0;
};
struct TraceRequest {
    text::Prompt prompt;
    std::string reference;
    std::uint64_t seed = 1;
    std::vector<std::string> what;  ///< extra blocks: latent, curve, attention, hidden
    CancelToken cancel;
    std::optional<std::int64_t> candidate = std::nullopt;  ///< as GenerateRequest, like `edits`
    std::vector<trace::Edit> edits = {};
    std::uint64_t row = 0;  ///< GenerateRequest::firstRow
    /// The file that grows while it is recorded (trace::TraceWriter), with the metadata of the finished one.
    std::filesystem::path growing = {};
    std::function<void(int steps, int planned)> progress = {};  ///< after every step; may be empty
};
struct RecordedTrace {
    std::unique_ptr<trace::TraceWriter> writer;
    std::map<std::string, std::string> meta;  ///< what is known at the end only
    Decoded decoded;
    std::int64_t networkCalls = 0;
    bool cancelled = false;

    /// An entry of the metadata that it will have; empty if there is none.
    [[nodiscard]] std::string metaText(const std::string& key) const;
    /// Writes the trace and removes the growing file. Errors as TraceWriter::finish.
    Result<trace::WrittenTrace> save(const std::filesystem::path& file) const {
        return writer->finish(file, meta);
    }
};
/// Decodes one text and records it, with metadata and the texts of all tokens that occur. Where a scorer
/// chooses, the text is first decoded without a trace, to know the candidate. Errors: as of decode(); those
/// of writing come with save().
Result<RecordedTrace> recordTrace(const TextModel& text, const TraceRequest& request,
                                  const RunConfig& sampler, const TraceOrigin& origin);

}  // namespace kurve::train
