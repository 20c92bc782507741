#include "views/schedule/written_effect.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/wire/fields.h"
#include "views/common/services/inference.h"
#include "views/common/shell/panel.h"

namespace kurve::views {

namespace {

constexpr int kDrawnTexts = 8;
constexpr int kAskMilliseconds = 100;
constexpr double kMostNoise = 100;  // of a vector of deviation 1: nothing is left of it

QStringList outputsOf(const nlohmann::json& answer) {
    QStringList outputs;
    for (const auto& sample : wire::Fields(answer).list("samples"))
        outputs << QString::fromStdString(wire::Fields(sample).text("output"));
    return outputs;
}

}  // namespace

QStringList spacedWords(const QString& text) {
    return text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

double noiseOnVector(const schedule::NoiseSchedule& schedule, double t) {
    const double alpha = schedule.alpha(t);
    return alpha > 0 ? std::min(kMostNoise, schedule.sigma(t) / alpha) : kMostNoise;
}

std::vector<bool> keptWords(const QStringList& text, const QStringList& written) {
    std::vector<bool> kept;
    for (qsizetype i = 0; i < written.size(); ++i) kept.push_back(i < text.size() && written[i] == text[i]);
    return kept;
}

schedule::EffectRow writtenRow(const QString& text, const QStringList& draws) {
    schedule::EffectRow row;
    const QStringList words = spacedWords(text);
    std::vector<double> fractions;
    for (const QString& draw : draws) {
        const QStringList written = spacedWords(draw);
        const auto kept = keptWords(words, written);
        const auto longer = static_cast<double>(std::max({words.size(), written.size(), qsizetype{1}}));
        fractions.push_back(static_cast<double>(std::count(kept.begin(), kept.end(), true)) / longer);
    }
    schedule::addFractions(row, fractions);
    if (!draws.isEmpty()) row.written = draws.front().toStdString();
    return row;
}

WrittenEffect::WrittenEffect(const StudioContext& context, QObject* parent)
    : QObject(parent),
      inference_([context]() -> Inference& { return context.ask<Inference>(); }),
      asks_(kAskMilliseconds, [this] { begin(); }) {}

void WrittenEffect::ask(const TextDecoder& decoder, const schedule::LabSchedule& schedule,
                        const QString& text) {
    next_ = Question{decoder, schedule, text};
    if (!now_) asks_.request();
}

void WrittenEffect::stop() {
    ++ticket_;
    next_.reset();
    now_.reset();
}

void WrittenEffect::begin() {
    if (!next_ || now_) return;
    now_ = std::exchange(next_, std::nullopt);
    ++ticket_;
    rows_.clear();
    askLevel();
}

void WrittenEffect::askLevel() {
    const auto schedule = now_->schedule.make();
    const double t = schedule::effectTimes()[rows_.size()];
    const std::vector<std::string> draws(kDrawnTexts, now_->text.toStdString());
    inference_().ask(
        {now_->decoder.run,
         now_->decoder.checkpoint,
         "sample",
         {{"input", draws}, {"seed", 1}, {"sampler", {{"noise", noiseOnVector(*schedule, t)}}}}},
        [this, ticket = ticket_](const Result<nlohmann::json>& answer) {
            if (ticket == ticket_) take(answer);
        },
        this);
}

void WrittenEffect::take(const Result<nlohmann::json>& answer) {
    if (!answer) {
        now_.reset();
        Q_EMIT failed(QString::fromStdString(answer.error().text()));
        return asks_.request();
    }
    const double t = schedule::effectTimes()[rows_.size()];
    rows_.push_back(writtenRow(now_->text, outputsOf(*answer)));
    rows_.back().t = t;
    rows_.back().logSnr = now_->schedule.make()->logSnr(t);
    if (rows_.size() < schedule::effectTimes().size()) return askLevel();
    now_.reset();
    Q_EMIT answered(rows_);
    asks_.request();
}

}  // namespace kurve::views
