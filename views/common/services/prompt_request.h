#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <map>
#include <optional>

namespace kurve::views {

/// The id of the weights of a running training, which are in no checkpoint.
inline constexpr const char* kLiveModel = "live";

/// The model of a running training.
struct LiveModel {
    QString runId;
    qint64 step = 0;  ///< at which it is paused; 0 while it is not
    bool paused = false;
    bool operator==(const LiveModel&) const = default;
};

/// A request to a loaded engine: decode one text and record a trace.
struct PromptRequest {
    QString runId;
    QString checkpoint;  ///< "last", "best", "avg5", a step or kLiveModel
    QString input;
    QString kind = QStringLiteral("source");  ///< of the prompt (text::PromptKind)
    std::uint64_t seed = 1;
    std::map<QString, QString> settings = {};  ///< sampler.* as texts; of the others those of the run
    /// The run's default sampler, overridden by all of those; for a training engine, which decodes without
    /// it.
    std::map<QString, QString> defaults = {};
    QStringList what = {};  ///< blocks to record; empty = latents and curve
    /// A trace to denoise again with edits, instead of `input` and the settings.
    struct Branch {
        QString parent;  ///< its file
        int step = 0;
        QString edits;  ///< JSON (trace/edit.h)
    };
    std::optional<Branch> branch = std::nullopt;
    QString reference = {};  ///< expected output, if known
    /// The candidate of the beam to record, instead of the selected one.
    std::optional<qint64> candidate = std::nullopt;
    std::uint64_t row = 0;  ///< with the seed: the random stream, that of a sentence of a sweep
    QString expected = {};  ///< expected output of a reproduction; a different output is reported
};

/// The checkpoint that a request names for weights that were recorded by name and step: "avg5" of "avg5 of
/// steps …", else the step.
[[nodiscard]] inline QString requestedCheckpoint(const QString& name, const QString& step) {
    return name.startsWith(QLatin1String("avg")) ? name.section(QLatin1Char(' '), 0, 0) : step;
}

/// Status of the engine, for the prompt bar.
struct PromptStatus {
    enum class Kind : unsigned char { Idle, Loading, Ready, Working, Failed } kind = Kind::Idle;
    QString text;        ///< one sentence; of a failure with its remedy
    QString field = {};  ///< of a failure: the wrong setting, such as "sampler.scorer"; empty: none
    QString runId = {};  ///< run of the model; empty: none
};

struct PromptAnswer {
    QString input, output;
    double score = 0;
    double seconds = 0;
    int steps = 0;
    int candidates = 0;  ///< number of candidates; 0: no selection
};

}  // namespace kurve::views
