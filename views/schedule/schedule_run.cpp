// What the laboratory shows of the selected run: its loss by noise level, and its sentences.
#include <algorithm>
#include <utility>

#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"
#include "views/schedule/effect_strip.h"
#include "views/schedule/schedule_charts.h"
#include "views/schedule/schedule_panel.h"
#include "views/schedule/written_effect.h"

namespace kurve::views {

void SchedulePanel::watchRun() {
    if (context().selection == nullptr || context().catalog == nullptr) return;
    watched_.set(context().selection->runs().mid(0, 2));
    refreshLoss();
}

/// The loss by noise level of one of the watched runs, at the playhead's training step.
RunLoss SchedulePanel::lossOf(int which) const {
    const auto data =
        which < watched_.ids().size() ? context().catalog->data(watched_.ids()[which]) : nullptr;
    if (data == nullptr) return {};
    NoiseLoss loss;
    if (context().playhead != nullptr)
        loss = noiseLossOf(data->lossByLogSnr, context().playhead->trainStep());
    if (loss.loss.empty()) loss = noiseLossOf(data->lossByLogSnr);  // before the first
    // The schedules take two colours, own weights a third.
    return {QString::fromStdString(data->summary.name), categoryColor(which == 0 ? 2 : 4), std::move(loss)};
}

void SchedulePanel::refreshLoss() {
    const RunLosses losses{lossOf(0), lossOf(1)};
    noiseLoss_ = losses[0].loss;
    showRefusals();
    const auto data = watched_.ids().isEmpty() ? nullptr : context().catalog->data(watched_.ids().front());
    showSentences(data.get());
    charts_->showLoss(losses);
}

void SchedulePanel::showSentences(const RunData* data) {
    std::vector<EffectStrip::TraceEntry> newest;
    if (data != nullptr && context().project != nullptr) {
        const auto folder = context().project->runFolder(data->summary.id);
        std::int64_t last = 0;
        for (const auto& row : data->traces) last = std::max(last, row.step);
        for (const auto& row : data->traces)
            if (const auto file = row.path.in(folder); file && row.step == last)
                newest.push_back({QString::fromStdString(row.text), *file});
    }
    effect_->setRun(context().project, newest, data != nullptr ? decoderOf(data->summary) : std::nullopt);
}

/// The run itself, or the one whose vectors it predicts.
std::optional<TextDecoder> SchedulePanel::decoderOf(const store::RunSummary& run) const {
    const auto decodes = [this](const store::RunSummary& each) {
        const auto schema = context().engine != nullptr ? context().engine->family(each.family) : nullptr;
        return schema != nullptr && schema->find("sampler.noise") != nullptr;
    };
    if (decodes(run)) return TextDecoder{QString::fromStdString(run.id), QStringLiteral("last")};
    for (const auto& [field, reference] : run.references) {
        const QString text = QString::fromStdString(reference);
        const store::RunSummary* other = context().catalog->run(text.section(QLatin1Char('@'), 0, 0));
        bool isStep = false;
        const qlonglong step = text.section(QLatin1String("@step-"), 1).toLongLong(&isStep);
        if (other != nullptr && decodes(*other))
            return TextDecoder{QString::fromStdString(other->id),
                               isStep ? QString::number(step) : QStringLiteral("last")};
    }
    return std::nullopt;
}

}  // namespace kurve::views
