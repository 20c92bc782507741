#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/metrics/scorer_metrics.h"

namespace kurve::frontier {

/// A number with its 95 % interval over sentences, and what is needed to reproduce it.
struct Estimate {
    double value = 0, low = 0, high = 0;
    int n = 0;  ///< sentences
    std::string signature;
    std::vector<double> bySeed;  ///< the same number of each draw; empty where one number needs all draws
};

/// What decoding cost, over all draws.
struct Cost {
    std::int64_t networkCalls = 0;
    double seconds = 0;
    std::int64_t tokens = 0;  ///< words of the outputs
};

/// One point: a checkpoint with sampler settings, decoded once per seed on the same sentences.
struct SweepPoint {
    std::string run, checkpoint, checkpointSha256, split, reference;  ///< reference: hash of the references
    std::int64_t step = 0;
    std::map<std::string, std::string> settings;  ///< what the grid varies: key, value's text
    std::vector<std::uint64_t> seeds;
    int sentences = 0;
    std::map<std::string, Estimate> quality;    ///< by metric id: bleu, chrf, token-accuracy …
    std::map<std::string, Estimate> diversity;  ///< distinct-2, entropy, one-minus-self-bleu …
    /// The same diversity of the references themselves: where a perfect system would stand.
    std::map<std::string, double> referenceDiversity;
    std::string scorer;  ///< the run behind the scorer qualities (isScorerQuality); empty: there are none
    std::map<std::string, double> referenceQuality;  ///< the scorer qualities of the references themselves
    Cost cost;
    struct Text {
        std::string source, reference;
        std::vector<std::string> outputs;  ///< one per seed
        /// Which noise its draws had: train::Decoded's seedOffset and row.
        struct Noise {
            std::uint64_t seedOffset = 0, row = 0;
        };
        Noise noise = {};
    };
    std::vector<Text> texts;  ///< the first few sentences, to look at
};

/// Qualities from a scorer, another run: comparable only where the scorer is the same.
[[nodiscard]] inline bool isScorerQuality(const std::string& metric) {
    return metric == metrics::kGenPerplexity || metric == metrics::kMauve;
}

/// Diversities that this module names: 1 - self-BLEU of the draws, 0 to 1, and 1 - the chance that two draws
/// of the next tokens are equal, in percent, for "brier-collision-1" and the like.
inline constexpr const char* kOneMinusSelfBleu = "one-minus-self-bleu";
inline constexpr const char* kOneMinus = "one-minus-";

/// Whether repetition is likely: some diversity is below nine tenths of the references' own.
[[nodiscard]] bool isRepetitive(const SweepPoint& point);
inline constexpr double kRepetitiveFraction = 0.9;

/// The point's key: equal hashes = the same numbers, so that nothing is computed twice.
/// `sampler` holds every sampler.* value, also those left at their default.
[[nodiscard]] std::string pointHash(const SweepPoint& plan, const std::map<std::string, std::string>& sampler,
                                    const std::vector<std::string>& metrics);

/// {"settings","quality","diversity","cost",…}: the form of `kurve sweep --json` and of the files.
nlohmann::json toJson(const SweepPoint& point);
/// Errors: sweep.damaged names what is missing or of the wrong type.
Result<SweepPoint> pointFromJson(const nlohmann::json& json);

/// A run's points lie in <run folder>/sweeps/<hash>.json, one file each, written whole or not at all.
[[nodiscard]] std::filesystem::path pointFile(const std::filesystem::path& runFolder,
                                              const std::string& hash);
Status savePoint(const std::filesystem::path& file, const SweepPoint& point);
/// Errors: those of a file, sweep.damaged, sweep.other_form (a version whose numbers differ wrote it).
Result<SweepPoint> loadPoint(const std::filesystem::path& file);

/// All points of a run, in the order of their files' names. `damaged`: why files are left out, each of them
/// that is damaged, and once how many another version wrote.
struct StoredPoints {
    std::vector<SweepPoint> points;
    std::vector<Error> damaged;
};
[[nodiscard]] StoredPoints loadPoints(const std::filesystem::path& runFolder);

}  // namespace kurve::frontier
