#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <map>
#include <optional>

namespace kurve::views {

/// The name of weights in no checkpoint: those of the run's training, as it is when it answers.
inline constexpr const char* kLiveModel = "live";

/// A model that trains and can answer as it is.
struct LiveModel {
    QString runId;
    qint64 step = 0;  ///< that it is paused at; 0 while it is not
    bool paused = false;
    bool operator==(const LiveModel&) const = default;
};

/// What the prompt bar asks a loaded engine for: one text decoded and recorded.
struct PromptRequest {
    QString runId;
    QString checkpoint;  ///< "last", "best", a step or kLiveModel
    QString input;
    int steps = 0;  ///< 0 = the run's own setting, as below
    int lengthBeam = 0, noiseBeam = 0;
    std::uint64_t seed = 1;
    std::map<QString, QString> settings = {};  ///< further sampler.* as texts; they win over the three above
    /// Of the run's default sampler, under all of those: a training decodes without it.
    std::map<QString, QString> defaults = {};
    QStringList what = {};  ///< blocks to record; empty = latents and curve
    /// A recording to denoise once more with a hand in it, instead of `input` and the settings.
    struct Branch {
        QString parent;  ///< its file
        int step = 0;
        QString edits;  ///< JSON (trace/edit.h)
    };
    std::optional<Branch> branch = std::nullopt;
    QString reference = {};  ///< what the text should become, where that is known
    /// Which of the beam is recorded, whatever the selector says.
    std::optional<qint64> candidate = std::nullopt;
    std::uint64_t row = 0;  ///< with the seed: which noise it draws, that of a sentence among others
    QString expected = {};  ///< what it should come out as, being a repetition; another output is told
};

/// What the engine is doing, for the prompt bar's status line.
struct PromptStatus {
    enum class Kind : unsigned char { Idle, Loading, Ready, Working, Failed } kind = Kind::Idle;
    QString text;        ///< one sentence; with a failure its remedy
    QString field = {};  ///< of a failure: the setting that is wrong, "sampler.ppl_run"; empty: none
    QString runId = {};  ///< whose model was asked; empty: nobody's
};

struct PromptAnswer {
    QString input, output;
    double score = 0;
    double seconds = 0;
    int steps = 0;
    int candidates = 0;  ///< how many it was chosen among; 0: it was the only one
};

}  // namespace kurve::views
