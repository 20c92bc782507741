#pragma once

#include <QObject>
#include <QString>
#include <array>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/lab_schedule.h"
#include "core/schedule/noise_effect.h"
#include "views/common/shell/at_most_every.h"

namespace kurve::views {

struct StudioContext;

/// A run that decodes noisy vectors of texts (its family has `sampler.noise`).
struct TextDecoder {
    QString run, checkpoint;  ///< as in InferenceRequest

    friend bool operator==(const TextDecoder&, const TextDecoder&) = default;
};

/// Standard deviation of the noise beside a vector z0: sigma / alpha of z = alpha z0 + sigma eps, as far as
/// the signal goes.
[[nodiscard]] double noiseOnVector(const schedule::NoiseSchedule& schedule, double t);

/// What stands between spaces.
[[nodiscard]] QStringList spacedWords(const QString& text);
/// Whether each word of `written` stands where the text has it.
[[nodiscard]] std::vector<bool> keptWords(const QStringList& text, const QStringList& written);

/// The row of one level from what was written in each draw: survival is the fraction of the text's words
/// that are where they were, over the longer of the two.
[[nodiscard]] schedule::EffectRow writtenRow(const QString& text, const QStringList& draws);

/// Asks the engine what a decoder writes of a text whose vector has the schedule's noise, at the strip's
/// seven times; one level after another, and only the newest question. GUI thread.
class WrittenEffect : public QObject {
    Q_OBJECT
public:
    WrittenEffect(const StudioContext& context, QObject* parent);
    void ask(const TextDecoder& decoder, const schedule::LabSchedule& schedule, const QString& text);
    void stop();

Q_SIGNALS:
    void answered(const std::vector<kurve::schedule::EffectRow>& rows);
    void failed(const QString& why);

private:
    struct Question {
        TextDecoder decoder;
        schedule::LabSchedule schedule;
        QString text;
    };
    void begin();
    void askLevel();
    void take(const Result<nlohmann::json>& answer);

    std::function<class Inference&()> inference_;
    std::optional<Question> next_, now_;
    std::vector<schedule::EffectRow> rows_;
    AtMostEvery asks_;
    int ticket_ = 0;  ///< answers to older ones are of other questions
};

}  // namespace kurve::views
