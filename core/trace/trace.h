#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::trace {

inline constexpr int kTopCandidates = 8;               ///< candidates of a position that samplers record
inline constexpr std::uint32_t kNoToken = 0xFFFFFFFF;  ///< where no tokens were recorded

/// What a position of a level is.
enum class Unit : std::uint8_t { Token, Chunk, Sentence };
[[nodiscard]] const char* unitName(Unit unit);  ///< "token", "chunk", "sentence"

/// What happened to a position at a step (the timeline draws each with its own shape).
enum class TokenState : std::uint8_t {
    Given = 0,   ///< part of the prompt, never changes
    Masked = 1,  ///< holds the mask token, or nothing yet
    New = 2,     ///< mask to token, or first step of a continuous model
    Kept = 3,    ///< same token as the step before
    Flip = 4,    ///< another token than the step before
    Remask = 5,  ///< token to mask
    Pad = 6,     ///< outside this candidate's length
};

/// A dense float block of any rank, row-major; stored as F16 on disk where `half` is set (never set it for
/// ids: F16 counts to 2,048) unless a finite value exceeds F16's range; else as F32.
struct Block {
    std::vector<std::int64_t> shape;
    std::vector<float> data;
    bool half = true;
};

/// Positions `begin` to before `end` of the level below.
struct Span {
    int begin = 0, end = 0;
    friend bool operator==(const Span&, const Span&) = default;
};

/// Candidates of a position at a step, best first; those that were not recorded are not there.
struct Candidates {
    std::span<const std::uint32_t> ids;
    std::span<const float> probabilities;
};

/// One recorded sampling run of a model, the same for every family: views ask for layers and show those that
/// are there, never for the family or the kind of model that made it.
///
/// Sizes: S steps, which are the frames in the order in which they were computed, N positions of a level. A
/// trace has levels, the coarsest first, with one unit each: sentences of chunks of tokens, or any of them
/// alone. The frames are those of all levels. Two axes: positions may be generated in order, each with its
/// own denoising steps.
///
/// Every layer is optional: a vector that was not recorded is empty.
struct Trace {
    /// family, run, checkpoint, checkpoint_sha256, checkpoint_step, prompt, reference, output, sampler
    /// (JSON), seed, tokenizer_hash, candidate (which of the beam it is), edits (supported ones:
    /// editKindName, comma-separated), source_tokens (of a family with a source its K tokens' texts, JSON).
    /// One that is still being recorded: planned_steps. A branch also: branch_parent (its file, relative to
    /// the run's folder), branch_step, branch_change (its name), branch_edits (its own, JSON) and
    /// branch_history (those of its parents as well). All texts.
    std::map<std::string, std::string> meta;
    Unit unit = Unit::Token;
    int steps = 0, positions = 0;
    int topK = kTopCandidates;
    std::vector<double> t, logSnr;  ///< [S] model time in 0..1 (1 = noise) and log-SNR (NaN where none)
    int outerLength = 1;            ///< of the position axis: 1 = all positions are denoised together
    std::vector<std::int32_t> outer, inner;  ///< [S] index on it, and denoising step there; empty: 0 and step

    std::vector<std::uint32_t> tokens;  ///< [S, N] best estimate at that step; of a chunk or a sentence its
                                        ///< text's id in tokenTexts
    std::vector<std::uint8_t> state;    ///< [S, N] TokenState
    std::vector<float> confidence;      ///< [S, N] probability of that token, 0..1
    std::vector<float> entropy;         ///< [S, N] nats
    std::vector<float> margin;          ///< [S, N] best minus second: of cosine for continuous models, else
                                        ///< of probability
    std::vector<std::uint32_t> topIds;  ///< [S, N, topK]
    std::vector<float> topProbability;  ///< [S, N, topK]; 0: not recorded
    /// Further layers by name. Per step:
    ///   "latent" [S, N, d] the model's estimate z0-hat; "noisy" [S, N, d] its input z_t
    ///   "curve" [S, M, d] control points of the estimate; "curves" [S, n, M, d], "curve_weights" [S, n]
    ///   "hidden/<layer>" [S, N or M, H]; "attention/<layer>" [S, heads, N or M, N or M]
    ///   "condition/<m>" [S, K, H] states of the source's K tokens after m layers; "condition_similarity"
    ///   (cosine), "condition_distance" (Euclidean) [S, K] of the last of them to the step before, 1 and 0 at
    ///   the first
    ///   "cross_attention/<layer>" [S, heads, N or M, K] from the text to the source,
    ///   "condition_cross_attention/<layer>" [S, heads, K, N or M] from the source to the text
    ///   "features" [S, N, H], "logits" [S, N, H]
    ///   "found_masked" [S, N] 1 = the network read the mask there: declares that the noise is a mask
    ///   "will_mask", "committed" [S, N] see TokenMarks
    /// Of the whole trace (isConstant()):
    ///   "psi" [N, M] the map, tokens x control points; "greville" [M] u of each control point, "index" [N]
    ///   u of each token; "vocab/latent" [n, d] embeddings (in z0's scale) of the ids in "vocab/ids" [n];
    ///   "reference/ids" [n]; "layer_reads" [n, 4] the layers in the order in which a step computed them:
    ///   side (0 source, 1 text), number, and the states that it read, as numbers of layers: its own side's
    ///   after so many, the other's after so many (-1: none)
    std::map<std::string, Block> blocks;
    std::map<std::uint32_t, std::string> tokenTexts;  ///< of every id that occurs, e.g. "▁the"
    std::filesystem::path file;                       ///< from which it was read; empty if it was not

    std::vector<Span> spans;             ///< [N] of each position; empty without a level below
    std::shared_ptr<const Trace> below;  ///< the finer level, with the same frames; null = none

    [[nodiscard]] const Block* block(const std::string& name) const;
    /// An entry of `meta`, empty if there is none.
    [[nodiscard]] std::string metaText(const std::string& key) const;
    [[nodiscard]] std::size_t cell(int step, int position) const {
        return static_cast<std::size_t>(step) * static_cast<std::size_t>(positions) +
               static_cast<std::size_t>(position);
    }
    /// A number of a layer, as value(&Trace::entropy, 3, 5); NaN where it was not recorded.
    [[nodiscard]] float value(std::vector<float> Trace::*layer, int step, int position) const;
    [[nodiscard]] std::uint32_t tokenAt(int step, int position) const;   ///< or kNoToken
    [[nodiscard]] const std::string& textOf(std::uint32_t token) const;  ///< empty if it is not known
    /// Recorded, or what follows from the axes and the tokens.
    [[nodiscard]] TokenState stateAt(int step, int position) const;
    [[nodiscard]] Candidates candidates(int step, int position) const;

    /// Positions are generated in order: those after the frame's have nothing yet.
    [[nodiscard]] bool ordered() const { return outerLength > 1; }
    /// The noise is a mask: an empty position holds it.
    [[nodiscard]] bool masks() const { return blocks.contains("found_masked"); }
    /// All positions have an estimate from the first step on.
    [[nodiscard]] bool estimatesAll() const { return !ordered() && !masks(); }
};

/// Whether both have the same token there, or of chunks and sentences the same text: their ids are a trace's
/// own. Both have that position; a trace that ended before the step has its last tokens.
[[nodiscard]] bool sameToken(const Trace& a, const Trace& b, int step, int position);

/// Whether a block belongs to the whole trace and not to each step.
[[nodiscard]] bool isConstant(const std::string& block);

/// A level without tokens of its own gets the joined texts of its spans in the level below, where that has
/// some. Done by readTrace().
void joinTexts(Trace& trace);

/// A trace is a safetensors file. Of tokens: tokens U32, state U8, confidence U16 (value / 65535), entropy
/// and margin F32, top_ids U32, top_prob U16 (value / 65535), blocks F16 or F32, texts U8 (lines of
/// [id, "text"]); of other units the same names after "chunk/" or "sentence/". Per frame: t and log_snr F64,
/// outer and inner I32. Metadata besides `meta`: "format" = "kurve.trace/2", "levels" = JSON [{unit,
/// positions, top_k, spans}], coarsest first, "axes" = JSON {position, denoising_step: length}. One that is
/// still being written (TraceWriter) has room for all planned steps; its metadata "frames" says how many are
/// there, and it is read as a trace of so many.
///
/// Writes a whole one; returns the file's SHA-256. Errors as writeSafetensors; vectors that do not fit steps
/// and positions are a ContractError.
Result<std::string> writeTrace(const std::filesystem::path& file, const Trace& trace);
/// Errors as SafetensorsFile::open, and trace.missing, trace.shape, trace.version, with the name of the
/// tensor or the metadata in `field`.
Result<Trace> readTrace(const std::filesystem::path& file);
/// One of the run in `runFolder` by the name that a record, a message or another trace has for it
/// (store::RunFile). Errors: run.path, io.link, and those of readTrace().
Result<Trace> readRunTrace(const std::filesystem::path& runFolder, const std::string& name);

}  // namespace kurve::trace
