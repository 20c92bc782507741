#include "views/schedule/lab_runs.h"

#include <algorithm>
#include <utility>

#include "views/common/data/engine_info.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/schedule/written_effect.h"

namespace kurve::views {

LabRuns::LabRuns(const StudioContext& context, QWidget& lab, EffectStrip& sentences)
    : QObject(&lab),
      context_(context),
      sentences_(sentences),
      watched_(context.catalog),
      refresh_(lab, [this] { refresh(); }) {
    if (context.selection != nullptr)
        connect(context.selection, &Selection::runsChanged, this, &LabRuns::follow);
    if (context.playhead != nullptr)
        connect(context.playhead, &Playhead::trainStepChanged, &refresh_, &OnFirstShow::request);
    if (context.catalog != nullptr)
        connect(context.catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
            if (watched_.contains(id)) refresh_.request();
        });
}

void LabRuns::follow() {
    if (context_.selection == nullptr || context_.catalog == nullptr) return;
    watched_.set(context_.selection->runs().mid(0, 2));
    refresh();
}

/// The loss by noise level of one of the watched runs, at the playhead's training step.
RunLoss LabRuns::lossOf(int which) const {
    const auto data = which < watched_.ids().size() ? context_.catalog->data(watched_.ids()[which]) : nullptr;
    if (data == nullptr) return {};
    NoiseLoss loss;
    if (context_.playhead != nullptr) loss = noiseLossOf(data->lossByLogSnr, context_.playhead->trainStep());
    if (loss.loss.empty()) loss = noiseLossOf(data->lossByLogSnr);  // before the first
    // The schedules take two colours, own weights a third.
    return {qt(data->summary.name), categoryColor(which == 0 ? 2 : 4), std::move(loss)};
}

void LabRuns::refresh() {
    const RunLosses losses{lossOf(0), lossOf(1)};
    levels_ = losses[0].loss.levels;
    const auto data = any() ? context_.catalog->data(watched_.ids().front()) : nullptr;
    showSentences(data.get());
    Q_EMIT read(losses);
}

void LabRuns::showSentences(const RunData* data) {
    std::vector<EffectStrip::TraceEntry> newest;
    if (data != nullptr && context_.project != nullptr) {
        const auto folder = context_.project->runFolder(data->summary.id);
        std::int64_t last = 0;
        for (const auto& row : data->traces) last = std::max(last, row.step);
        for (const auto& row : data->traces)
            if (const auto file = row.path.in(folder); file && row.step == last)
                newest.push_back({qt(row.text), *file});
    }
    sentences_.setRun(context_.project, newest, data != nullptr ? decoderOf(data->summary) : std::nullopt);
}

/// The run itself, or the one whose vectors it predicts.
std::optional<TextDecoder> LabRuns::decoderOf(const store::RunSummary& run) const {
    const auto decodes = [this](const store::RunSummary& each) {
        const auto schema = context_.engine != nullptr ? context_.engine->family(each.family) : nullptr;
        return schema != nullptr && schema->find("sampler.noise") != nullptr;
    };
    if (decodes(run)) return TextDecoder{qt(run.id), QStringLiteral("last")};
    for (const auto& [field, reference] : run.references) {
        const QString text = qt(reference);
        const store::RunSummary* other = context_.catalog->run(text.section(QLatin1Char('@'), 0, 0));
        bool isStep = false;
        const qlonglong step = text.section(QLatin1String("@step-"), 1).toLongLong(&isStep);
        if (other != nullptr && decodes(*other))
            return TextDecoder{qt(other->id), isStep ? QString::number(step) : QStringLiteral("last")};
    }
    return std::nullopt;
}

}  // namespace kurve::views
