#include "views/runs/evaluate_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeWidget>

#include "views/common/data/run_catalog.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/default_sampler_chip.h"
#include "views/common/form/layouts.h"
#include "views/common/form/sampler_settings.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kMostPairs = 1'000'000;
constexpr const char* kPrefix = "eval_";

template <class Control>
Control* named(Control* control, const char* id, const QString& name) {
    describe(control, id, name);
    control->setMinimumWidth(px(60));
    return control;
}

}  // namespace

EvaluateForm::EvaluateForm(const StudioContext& context)
    : checkpoint_(named(new QComboBox, "evaluate.checkpoint", tr("Checkpoint to evaluate"))),
      split_(named(new QComboBox, "evaluate.split", tr("Split"))),
      metrics_(named(new QComboBox, "evaluate.metrics", tr("Metrics, separated by commas"))),
      scorer_(named(new QComboBox, "evaluate.scorer", tr("Scorer"))),
      limit_(named(new QSpinBox, "evaluate.limit", tr("Pairs to score"))),
      settings_(new SamplerSettings(QStringLiteral("evaluate"))),
      default_(new DefaultSamplerChip(context, QStringLiteral("evaluate"))),
      go_(named(new QPushButton, "evaluate.go", tr("Evaluate"))),
      about_(describe(new QLabel, "evaluate.about", {.role = "caption", .wraps = true})),
      scores_(named(new QTreeWidget, "evaluate.scores", tr("Scores of the run"))) {
    split_->addItem(tr("validation"), QStringLiteral("valid"));
    split_->addItem(tr("test"), QStringLiteral("test"));
    metrics_->setEditable(true);
    metrics_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    metrics_->addItems({tr("Default metrics"), QStringLiteral("bleu,chrf"), QStringLiteral("bleu"),
                        QStringLiteral("token-accuracy,exact-match"), QStringLiteral("distinct-2,entropy"),
                        QStringLiteral("ppl"), QStringLiteral("chrf,gen_ppl,mauve")});
    metrics_->setToolTip(tr("Metric ids, separated by commas (kurve describe metrics)"));
    scorer_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    scorer_->setToolTip(tr("Transformer run that scores the outputs, for gen_ppl and mauve"));
    scorer_->addItem(tr("(none)"), QString());
    limit_->setRange(0, kMostPairs);
    limit_->setSpecialValueText(tr("all"));
    scores_->setHeaderLabels({tr("Split and metric"), tr("Score")});
    scores_->setRootIsDecorated(false);
    scores_->setColumnWidth(0, px(150));
    auto* form = new QFormLayout;
    form->addRow(tr("Checkpoint"), checkpoint_);
    form->addRow(tr("Split"), split_);
    form->addRow(tr("Metrics"), metrics_);
    form->addRow(tr("Scorer"), scorer_);
    form->addRow(tr("Pairs"), limit_);
    form->addRow(tr("Sampler"), settings_->button());
    vboxIn(this, {form, settings_, default_, go_, about_, {scores_, 1}},
           {.margins = {0, space::kSmall, 0, 0}});
    Evaluations* evaluations = &context.ask<Evaluations>();
    connect(go_, &QPushButton::clicked, this,
            [this, evaluations] { running_ ? evaluations->cancel() : evaluations->start(request()); });
    connect(evaluations, &Evaluations::statusChanged, this, &EvaluateForm::setStatus);
    connect(settings_, &SamplerSettings::changed, this, &EvaluateForm::showButton);
    fillCheckpoints(nullptr);
    setStatus(evaluations->status());
}

void EvaluateForm::setRuns(const QStringList& ids, const store::RunSummary* run, const RunData* data) {
    runs_ = ids;
    fillCheckpoints(data);
    fillScores(run);
    default_->show(run != nullptr ? qt(run->id) : QString(), data);
    showButton();
}

void EvaluateForm::fillCheckpoints(const RunData* data) {
    BoxChoices choices{{QStringLiteral("last"), tr("newest")},
                       {QStringLiteral("best"), tr("best")},
                       {QStringLiteral("avg5"), tr("average of the 5 best")}};
    if (data != nullptr && runs_.size() < 2)  // steps are comparable within one run only
        for (const auto& row : data->checkpoints)
            choices.append({QString::number(row.step), tr("step %1").arg(countText(row.step))});
    offerItems(*checkpoint_, choices, checkpoint_->currentData().toString());
}

void EvaluateForm::setScorers(std::vector<Choice> runs) {
    BoxChoices scorers{{QString(), scorer_->itemText(0)}};
    for (const Choice& run : runs) scorers.append({run.id, run.title});
    offerItems(*scorer_, scorers, scorer_->currentData().toString());
    settings_->setScorers(std::move(runs));
    showButton();
}

void EvaluateForm::setSampler(const RunConfig* config, std::shared_ptr<const Schema> schema) {
    const bool isKnown = config != nullptr && schema != nullptr;
    settings_->setOwn(isKnown ? samplerValues(*config, *schema) : QMap<QString, QString>());
    settings_->setSchema(std::move(schema));
    showButton();
}

void EvaluateForm::fillScores(const store::RunSummary* run) {
    std::map<std::string, double> scores;
    for (const auto& [name, value] : run != nullptr ? run->metrics : std::map<std::string, double>())
        if (name.starts_with(kPrefix)) scores.emplace(name, value);
    if (scores == shownScores_) return;  // keeps selection and scroll position
    shownScores_ = std::move(scores);
    scores_->clear();
    for (const auto& [name, value] : shownScores_) {
        const QString id = qt(name), split = id.section(QLatin1Char('_'), 1, 1);
        QString metric = id.section(QLatin1Char('_'), 2);
        if (const auto settings = metric.indexOf(QLatin1Char('@')); settings >= 0)
            metric.replace(settings, 1, QStringLiteral(", "));
        auto* row = new QTreeWidgetItem(scores_,
                                        {QStringLiteral("%1 · %2").arg(split, metric), numberText(value, 4)});
        row->setToolTip(0, id);
    }
}

void EvaluateForm::setStatus(const EvaluationStatus& status) {
    running_ = status.running;
    about_->setText(status.text);
    showButton();
}

void EvaluateForm::showButton() {
    go_->setText(running_           ? tr("Cancel")
                 : runs_.size() > 1 ? tr("Evaluate %1 runs").arg(runs_.size())
                                    : tr("Evaluate"));
    go_->setEnabled(running_ || (!runs_.isEmpty() && settings_->problem().isEmpty()));
}

EvaluationRequest EvaluateForm::request() const {
    const bool isDefault = metrics_->currentText() == metrics_->itemText(0);
    return {runs_,
            checkpoint_->currentData().toString(),
            split_->currentData().toString(),
            isDefault ? QString() : metrics_->currentText().remove(QLatin1Char(' ')),
            limit_->value(),
            scorer_->currentData().toString(),
            settings_->values()};
}

}  // namespace kurve::views
