#pragma once

#include <QMap>
#include <functional>

#include "views/common/shell/panel.h"

namespace kurve::views {

/// Where a point's sampler settings are used.
enum class SamplerUse : unsigned char { Prompt, Draft, Default };

/// A point was decoded with its settings over those of training: these settings, plus the training values of
/// the others that the run's default sampler changes.
[[nodiscard]] QMap<QString, QString> overDefaultSampler(const StudioContext& context, const QString& run,
                                                        QMap<QString, QString> settings);

/// What was done, in words, and what undoes it.
struct SamplerUsed {
    QString text;
    std::function<void()> undo;
};
/// Uses a point's settings from now on, in the prompt bar, in the draft, or as the run's default sampler.
[[nodiscard]] SamplerUsed useSampler(const StudioContext& context, SamplerUse where, const QString& run,
                                     const QMap<QString, QString>& settings);

}  // namespace kurve::views
