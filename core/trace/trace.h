#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::trace {

inline constexpr int kTopCandidates = 8;

/// What happened to a position at a step (the timeline draws each with its own shape).
enum class TokenState : std::uint8_t {
    Given = 0,   ///< part of the prompt, never changes
    Masked = 1,  ///< holds the mask token
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

/// One recorded sampling run of a model, the same for every family: views depend on what a trace holds, never
/// on the family that made it.
/// Sizes: S steps in denoising order (noisiest first), N positions (L target positions, BOS and EOS
/// included).
struct Trace {
    /// family, run, checkpoint, checkpoint_sha256, checkpoint_step, prompt, reference, output, sampler
    /// (JSON), seed, tokenizer_hash, kind ("continuous" or "discrete"), candidate (which of the beam it is),
    /// edits (supported ones: editKindName, comma-separated). One that is still being recorded:
    /// planned_steps. A branch also: branch_parent (its file, relative to the run's folder), branch_step,
    /// branch_change (its name), branch_edits (its own, JSON) and branch_history (those of its parents as
    /// well). All texts.
    std::map<std::string, std::string> meta;
    int steps = 0, positions = 0;
    std::vector<std::uint32_t> tokens;  ///< [S, N] argmax tokens of the estimate at that step
    std::vector<std::uint8_t> state;    ///< [S, N] TokenState
    std::vector<float> confidence;      ///< [S, N] probability of that token, 0..1
    std::vector<float> entropy;         ///< [S, N] nats
    std::vector<float>
        margin;  ///< [S, N] best minus second: of cosine for continuous models, else of probability
    std::vector<std::uint32_t> topIds;  ///< [S, N, 8]
    std::vector<float> topProbability;  ///< [S, N, 8]
    std::vector<double> t, logSnr;      ///< [S] model time in 0..1 (1 = noise) and log-SNR
    /// Optional blocks by name:
    ///   "latent" [S, N, d] the model's estimate z0-hat; "noisy" [S, N, d] its input z_t
    ///   "curve" [S, M, d] control points of the estimate; "psi" [N, M] the map, tokens x control points
    ///   "greville" [M] u of each control point; "index" [N] u of each token
    ///   "vocab/latent" [n, d] embeddings (in z0's scale) of the ids in "vocab/ids" [n]
    ///   "hidden/<layer>" [S, N or M, H]; "attention/<layer>" [S, heads, N, N]; "reference/ids" [n]
    std::map<std::string, Block> blocks;
    std::map<std::uint32_t, std::string> tokenTexts;  ///< of every token id that occurs, e.g. "▁the"
    std::filesystem::path file;                       ///< from which it was read; empty if it was not

    [[nodiscard]] const Block* block(const std::string& name) const;
    /// An entry of `meta`, empty if there is none.
    [[nodiscard]] std::string metaText(const std::string& key) const;
    [[nodiscard]] std::size_t cell(int step, int position) const {
        return static_cast<std::size_t>(step) * static_cast<std::size_t>(positions) +
               static_cast<std::size_t>(position);
    }
};

/// A trace is a safetensors file (architecture.md, "A project on disk"): tokens U32, state U8, confidence,
/// entropy and margin U16 (low + value / 65535 * (high - low); metadata "range" = JSON {name: [low, high]}),
/// top_ids U32, top_prob U16 (value / 65535), t and log_snr F64, blocks F16 or F32. Metadata besides `meta`:
/// "format" = "kurve.trace/1", "range", "pieces" = JSON {id: text}. Python reads it with one line of the
/// safetensors package. Returns the file's SHA-256. Errors as writeSafetensors; vectors that do not fit steps
/// and positions are a ContractError.
Result<std::string> writeTrace(const std::filesystem::path& file, const Trace& trace);
/// Errors as SafetensorsFile::open, and trace.missing, trace.shape, trace.version, with the tensor's name in
/// `field`.
Result<Trace> readTrace(const std::filesystem::path& file);
/// One of the run in `runFolder` by the name that a record, a message or another trace has for it
/// (store::RunFile). Errors: run.path, io.link, and those of readTrace().
Result<Trace> readRunTrace(const std::filesystem::path& runFolder, const std::string& name);

}  // namespace kurve::trace
