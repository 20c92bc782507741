#pragma once

#include <optional>

#include "app/engine/control_link.h"
#include "app/engine/run_access.h"
#include "app/engine/score_by_run.h"
#include "core/frontier/eta_estimator.h"
#include "core/frontier/sweep_grid.h"

namespace kurve::engine {

/// The arguments of `kurve sweep`.
struct SweepRequest {
    std::string run, checkpoint = "last", split = "valid";
    /// Empty: bleu and chrf, with a scorer also gen_ppl and mauve; of documents rouge-l; of a model of texts
    /// that draws, how often it draws the true token.
    std::string quality, scorer;
    std::string diversity;  ///< empty: one-minus-self-bleu, distinct-2, entropy; there, of those draws
    std::vector<std::string> grid;
    int seeds = 3, limit = 100, refine = 0, keptTexts = 12;
    double maxSeconds = 0;
    bool estimate = false;
};

/// Decodes the points of a grid, each once per seed, on the first sentences of a split, and saves every point
/// in the run's folder as soon as it is whole. For one thread.
class SweepJob {
public:
    SweepJob(const CommonOptions& common, const SweepRequest& request, const LoadedModel& loaded,
             ControlLink& link);

    /// Checks grid and metrics before any work. Errors: sweep.*, config.*, metric.*.
    Status prepare();
    /// Decodes and scores a few sentences and estimates the time of the points that are not known yet, those
    /// of a refinement included: {"run","points","refine","cached","seconds"}, "points" being the grid's.
    /// Errors: those of a point; sweep.stopped.
    Result<nlohmann::json> estimate();
    /// Computes what is missing; ends early on a stop, a signal or when the time is over.
    Status compute();
    /// {"run","points":[…],"front":[indices],"without_effect":[keys],"computed","cached","left","stopped","seconds"}
    [[nodiscard]] nlohmann::json document() const;
    [[nodiscard]] const std::vector<frontier::SweepPoint>& points() const { return points_; }
    [[nodiscard]] bool stopped() const { return stopped_; }

private:
    struct Planned {
        frontier::Settings settings;
        RunConfig sampler;
        std::string hash;
        double units = 1;  ///< decoder work, from the settings
    };
    Status chooseMetrics();
    [[nodiscard]] Status checkMetric(const std::string& id, bool isDiversity) const;
    Status checkMetrics();
    /// The sentences that are decoded, and what they are compared with.
    Status readSentences();
    Status loadScorer();
    Result<Planned> plan(const frontier::Settings& settings) const;
    [[nodiscard]] frontier::SweepPoint emptyPoint(const frontier::Settings& settings) const;
    Result<frontier::SweepPoint> decodePoint(const Planned& planned);
    Status score(frontier::SweepPoint& point, const std::vector<std::vector<std::string>>& draws) const;
    /// The Brier terms at the point's settings. Errors: metric.empty, those of the model.
    Status scoreDraws(frontier::SweepPoint& point, const Planned& planned);
    Status scoreByScorer(frontier::SweepPoint& point,
                         const std::vector<std::vector<std::string>>& draws) const;
    Result<train::ScoredTexts> readByScorer(const std::vector<std::string>& texts) const;
    /// The point's file, if it is there and counts.
    [[nodiscard]] std::optional<frontier::SweepPoint> knownPoint(const Planned& planned) const;
    [[nodiscard]] double meanGridUnits() const;
    /// That a point takes, from its first sentences.
    Result<double> secondsOf(const Planned& planned);
    Status computeAll(const std::vector<Planned>& plans, int refinementsLeft);
    Result<bool> computeOne(const Planned& planned);
    bool stopRequested();
    void report(std::size_t done, const std::vector<double>& open);

    const CommonOptions& common_;
    const SweepRequest& request_;
    const LoadedModel& loaded_;
    ControlLink& link_;
    std::vector<std::string> quality_, diversity_, references_;
    train::DecodeRequest prompts_;  ///< all sentences; of texts nothing, of documents their first sentence
    std::vector<std::vector<std::int32_t>> targets_;
    std::string referenceHash_;
    train::TextScorer* scorer_ = nullptr;  ///< null: no scorer quality is requested
    train::ScoredTexts scorerReferences_;
    std::vector<std::uint64_t> seeds_;
    std::vector<Planned> grid_;
    std::vector<frontier::SweepPoint> points_;
    CancelToken cancel_;
    double started_ = 0;
    frontier::EtaEstimator eta_;
    int computed_ = 0, cached_ = 0;
    std::size_t left_ = 0;
    bool stopped_ = false;
};

}  // namespace kurve::engine
