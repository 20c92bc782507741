#include "views/common/form/default_sampler_chip.h"

#include <QLabel>
#include <QToolButton>
#include <utility>

#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/sampler_settings.h"
#include "views/common/services/studio.h"
#include "views/common/text/field_text.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

QString samplerText(const QMap<QString, QString>& settings) {
    QStringList parts;
    for (auto it = settings.begin(); it != settings.end(); ++it)
        parts << QStringLiteral("%1 %2").arg(fieldLabel(it.key().toStdString()), *it);
    return parts.join(QStringLiteral(", "));
}

DefaultSamplerChip::DefaultSamplerChip(const StudioContext& context, const QString& name)
    : context_(context), text_(new QLabel), button_(new QToolButton) {
    describe(this, name + QStringLiteral(".default_sampler"), tr("Default sampler"), {.role = "card"});
    describe(text_, name + QStringLiteral(".default_sampler_text"), {.role = "caption", .wraps = true});
    describe(button_, name + QStringLiteral(".default_sampler_drop"), {.role = "mini"});
    hboxIn(this, {{text_, 1}, button_}, {.margins = {space::kTight, 1, 1, 1}, .spacing = space::kTight});
    connect(button_, &QToolButton::clicked, this, &DefaultSamplerChip::trigger);
    hide();
}

void DefaultSamplerChip::show(const QString& run, const RunData* maybeData) {
    if (run != run_) cleared_.clear();
    run_ = run;
    settings_.clear();
    problem_.clear();
    if (maybeData != nullptr) {
        for (const auto& [key, value] : maybeData->defaultSampler)
            settings_[QString::fromStdString(key)] = QString::fromStdString(value);
        problem_ = maybeData->defaultSamplerProblem;
        if (!settings_.isEmpty() && context_.engine != nullptr)
            problem_ = samplerMisfit(*maybeData, *context_.engine);
    }
    if (!settings_.isEmpty()) cleared_.clear();
    update();
}

void DefaultSamplerChip::update() {
    const bool inForce = !settings_.isEmpty() || !problem_.isEmpty();
    setVisible(!run_.isEmpty() && (inForce || !cleared_.isEmpty()));
    text_->setText(!problem_.isEmpty() ? problem_
                   : inForce           ? tr("Default sampler: %1").arg(samplerText(settings_))
                                       : tr("The run's own sampler is used."));
    setToolTip(
        tr("Default of prompts, evaluations, kurve sample, trace and eval of this run; sampler.json in the "
           "run's folder"));
    button_->setText(inForce ? QStringLiteral("✕") : tr("Undo"));
    describe(button_, {}, inForce ? tr("Clear default sampler") : tr("Restore default sampler"),
             inForce ? tr("Reset to the sampler settings of the run")
                     : tr("Restore %1").arg(samplerText(cleared_)));
}

void DefaultSamplerChip::trigger() {
    if (!isVisibleTo(parentWidget())) return;
    const bool inForce = !settings_.isEmpty() || !problem_.isEmpty();
    const auto next = inForce ? QMap<QString, QString>() : std::exchange(cleared_, {});
    if (inForce) cleared_ = settings_;
    context_.ask<Samplers>().save(run_, next);
}

}  // namespace kurve::views
