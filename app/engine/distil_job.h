#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/engine/control_link.h"
#include "app/engine/run_access.h"
#include "core/text/distilled.h"

namespace kurve::engine {

/// Request of `kurve distil`.
struct DistilRequest {
    std::string run, checkpoint, split = "train", name;
    text::DistilFilter filter;
};

/// Decodes the training sources of a run with its model, one output each, and makes a corpus of them
/// (sequence-level distillation, Kim and Rush 2016). What is decoded is saved at once beside the future
/// corpus, so that a stopped or killed job continues there; the result is the same. For one thread.
class DistilJob {
public:
    DistilJob(const CommonOptions& common, const DistilRequest& request, const LoadedModel& teacher,
              ControlLink& link);

    /// Reads the blocks of an earlier job. Errors: data.name, data.exists, io.*.
    Status prepare();
    /// Decodes what is missing; ends early on a stop or a signal. Errors: those of decoding, io.write.
    Status decode();
    [[nodiscard]] bool stopped() const { return stopped_; }
    /// Once everything is decoded. Errors: data.empty, io.write.
    Result<text::DistilReport> write();

    [[nodiscard]] std::size_t done() const { return done_; }    ///< sources, earlier jobs' included
    [[nodiscard]] std::size_t known() const { return known_; }  ///< of them decoded by an earlier job
    [[nodiscard]] std::size_t total() const { return ids_.size(); }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    [[nodiscard]] std::string fingerprint() const;
    [[nodiscard]] nlohmann::json origin() const;
    Status readSaved();
    Status save(std::span<const std::size_t> rows);
    Status decodeBlock(std::span<const std::size_t> rows);
    [[nodiscard]] std::int64_t sourceLength(std::size_t pair) const;
    bool stopRequested();
    void reportProgress();

    const CommonOptions& common_;
    const DistilRequest& request_;
    const LoadedModel& teacher_;
    ControlLink& link_;
    std::string name_;
    std::filesystem::path saved_;                 ///< data/.NAME.distil
    std::vector<std::size_t> order_;              ///< pairs of the training split, short sources first
    std::vector<std::vector<std::int32_t>> ids_;  ///< by pair
    std::size_t done_ = 0, known_ = 0;
    std::int64_t tokensLeft_ = 0, tokensNow_ = 0;
    double started_ = 0;
    CancelToken cancel_;
    bool stopped_ = false;
};

}  // namespace kurve::engine
