#include "views/frontier/sweep_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>

#include "core/frontier/sweep_grid.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/sampler_settings.h"
#include "views/common/form/saved_controls.h"
#include "views/common/text/field_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kMaximalLines = 4;

QPushButton* button(const QString& text, const QString& id, const QString& tip, const char* role) {
    return describe(new QPushButton(text), id, {}, tip, {.role = role});
}

}  // namespace

SweepForm::SweepForm(QWidget* parent)
    : QWidget(parent),
      grid_(new QGridLayout),
      about_(new QLabel),
      message_(describe(new QLabel, "frontier.message")),
      seeds_(number(QStringLiteral("frontier.seeds"), tr("Seeds"), tr("samples per sentence at every point"),
                    1, 20, 3)),
      sentences_(number(QStringLiteral("frontier.sentences"), tr("Sentences"),
                        tr("of the split; the same for every point"), 1, 100000, 60)),
      refine_(number(QStringLiteral("frontier.refine"), tr("Refine by"),
                     tr("further points where the front bends or has gaps, after the grid"), 0, 50, 0)),
      seconds_(number(QStringLiteral("frontier.seconds"), tr("Time limit"),
                      tr("time limit per run: no point begins after it; the coarse grid comes first"), 0,
                      1000000, 0)),
      checkpoint_(describe(new QComboBox, "frontier.checkpoint", tr("Checkpoint"),
                           tr("last, best, a step, or avg5: the mean of the five best"))),
      split_(describe(new QComboBox, "frontier.split", tr("Split"),
                      tr("sentences to decode; do not choose settings on the test split"))),
      scorer_(describe(new LastingChoiceBox, "frontier.scorer", tr("Scorer"),
                       tr("a run with an exact likelihood that scores the outputs: gen_ppl, mauve"))),
      quality_(describe(new QLineEdit, "frontier.quality_ids", tr("Quality"),
                        tr("metric ids, with commas; the first makes the front (kurve describe metrics)"))),
      diversity_(new QLineEdit),
      start_(button(tr("Start sweep"), QStringLiteral("frontier.start"),
                    tr("Decode with every combination; finished points are not repeated"), "primary")),
      estimate_(button(tr("Estimate"), QStringLiteral("frontier.estimate"),
                       tr("Measure the speed on a few sentences and estimate the time"), "")),
      cancel_(
          button(tr("Cancel"), QStringLiteral("frontier.cancel"), tr("Stop; finished points are kept"), "")),
      add_(button(tr("+ setting"), QStringLiteral("frontier.addSetting"), tr("Vary one more setting"),
                  "quiet")),
      bar_(new QProgressBar) {
    auto* heading = describe(new QLabel(tr("Sweep")), {.role = "title"});
    for (QLabel* label : {about_, message_}) describe(label, {.role = "caption", .wraps = true});
    bar_->setTextVisible(false);
    bar_->setFixedHeight(px(6));
    grid_->setSpacing(px(space::kTight));
    grid_->setColumnStretch(1, 1);
    auto* fields = new QFormLayout;
    fields->setHorizontalSpacing(px(space::kSmall));
    fields->setVerticalSpacing(px(space::kTight));
    prepareFields();
    for (QWidget* field : controls()) fields->addRow(field->accessibleName(), field);
    auto* row = hbox({{start_, 1}, estimate_, cancel_}, {.spacing = space::kSmall});
    vboxIn(this, {heading, about_, grid_, {add_, 0, Qt::AlignLeft}, fields, row, bar_, message_},
           {.margins = 0, .spacing = space::kSmall});
    connect(add_, &QPushButton::clicked, this, [this] { addLine({}, {}); });
    connect(start_, &QPushButton::clicked, this, [this] {
        carryOut(status_.kind == SweepStatus::Kind::Running ? SweepAction::Pause : SweepAction::Start);
    });
    connect(estimate_, &QPushButton::clicked, this, [this] { carryOut(SweepAction::Estimate); });
    connect(cancel_, &QPushButton::clicked, this, [this] { carryOut(SweepAction::Cancel); });
    for (QSpinBox* box : {seeds_, sentences_, refine_, seconds_}) {
        connect(box, &QSpinBox::valueChanged, this, &SweepForm::draftChanged);
    }
    connect(this, &SweepForm::draftChanged, this, &SweepForm::refresh);
    addLine(QStringLiteral("sampler.steps"), QStringLiteral("1, 2, 4, 8, 16"));
    refresh();
}

void SweepForm::prepareFields() {
    seconds_->setSpecialValueText(tr("none"));
    seconds_->setSuffix(tr(" s"));
    checkpoint_->setEditable(true);
    for (const char* which : {"last", "best", "avg5"}) checkpoint_->addItem(QLatin1String(which));
    split_->addItem(tr("validation"), QStringLiteral("valid"));
    split_->addItem(tr("test"), QStringLiteral("test"));
    describe(diversity_, "frontier.diversity_ids", tr("Diversity"),
             tr("distinct-1, -2, -3, entropy, one-minus-self-bleu; of a model of texts that draws "
                "one-minus-brier-collision-1; the first makes the front"),
             {.placeholder = QStringLiteral("distinct-2,one-minus-self-bleu")});
    scorer_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setScorers({});
    connect(checkpoint_, &QComboBox::editTextChanged, this, &SweepForm::draftChanged);
    connect(split_, &QComboBox::activated, this, &SweepForm::draftChanged);
    connect(scorer_, &QComboBox::currentIndexChanged, this, [this] {
        showQualityHint();
        Q_EMIT draftChanged();
    });
    for (QLineEdit* edit : {quality_, diversity_})
        connect(edit, &QLineEdit::textEdited, this, &SweepForm::draftChanged);
}

void SweepForm::setScorers(const std::vector<Choice>& runs) {
    BoxChoices items{{QString(), tr("(none)")}};
    for (const Choice& run : runs) items.append({run.id, run.title});
    scorer_->offer(items);
    showQualityHint();
}

/// The engine's default.
void SweepForm::showQualityHint() {
    quality_->setPlaceholderText(scorer_->currentData().toString().isEmpty()
                                     ? QStringLiteral("bleu,chrf")
                                     : QStringLiteral("bleu,chrf,gen_ppl,mauve"));
}

QSpinBox* SweepForm::number(const QString& id, const QString& name, const QString& help, int low, int high,
                            int value) {
    auto* box = describe(new QSpinBox, id, name, help);
    box->setRange(low, high);
    box->setValue(value);
    return box;
}

void SweepForm::addLine(const QString& key, const QString& values) {
    const int row = static_cast<int>(lines_.size());
    Line line{
        describe(new LastingChoiceBox, QStringLiteral("frontier.key%1").arg(row),
                 tr("Setting %1").arg(row + 1)),
        describe(new QLineEdit(values), QStringLiteral("frontier.values%1").arg(row),
                 tr("Values of setting %1").arg(row + 1), {.placeholder = tr("4, 8, 16  or  5..20:5")})};
    line.key->setMinimumWidth(px(124));
    line.key->want(key);
    offerKeys(*line.key);
    grid_->addWidget(line.key, row, 0);
    grid_->addWidget(line.values, row, 1);
    connect(line.key, &QComboBox::currentIndexChanged, this, &SweepForm::refresh);
    connect(line.key, &QComboBox::activated, this, &SweepForm::draftChanged);
    connect(line.values, &QLineEdit::textChanged, this, &SweepForm::refresh);
    connect(line.values, &QLineEdit::textEdited, this, &SweepForm::draftChanged);
    lines_.push_back(line);
    add_->setVisible(static_cast<int>(lines_.size()) < kMaximalLines);
    refresh();
}

QList<QWidget*> SweepForm::controls() const {
    return {seeds_, sentences_, refine_, seconds_, checkpoint_, split_, scorer_, quality_, diversity_};
}

QJsonObject SweepForm::save() const {
    QJsonObject saved = saveControls(controls());
    QJsonArray lines;
    for (const Line& line : lines_) lines.append(QJsonArray{line.key->wanted(), line.values->text()});
    saved[QStringLiteral("lines")] = lines;
    return saved;
}

void SweepForm::restore(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    const QJsonArray lines = saved.value(QStringLiteral("lines")).toArray();
    for (qsizetype i = 0; i < std::min<qsizetype>(lines.size(), kMaximalLines); ++i) {
        const QString key = lines[i].toArray().at(0).toString(), values = lines[i].toArray().at(1).toString();
        if (i >= static_cast<qsizetype>(lines_.size())) {
            addLine(key, values);
            continue;
        }
        lines_[static_cast<std::size_t>(i)].key->want(key);
        lines_[static_cast<std::size_t>(i)].values->setText(values);
    }
    restoreControls(controls(), saved);
    refresh();
}

void SweepForm::offerKeys(LastingChoiceBox& box) const {
    BoxChoices items{{QString(), tr("(none)")}};
    QStringList tips{QString()};
    for (const FieldSpec* field : schema_ ? samplerFields(*schema_) : std::vector<const FieldSpec*>()) {
        if (!field->affectsResult) continue;
        items.append({QString::fromStdString(field->key), fieldLabel(field->key)});
        tips << fieldTip(*field);
    }
    box.offer(items);
    for (int i = 0; i < box.count(); ++i) box.setItemData(i, tips[i], Qt::ToolTipRole);
}

void SweepForm::setSchema(std::shared_ptr<const Schema> schema) {
    if (schema == schema_) return;
    schema_ = std::move(schema);
    for (const Line& line : lines_) offerKeys(*line.key);
    refresh();
}

void SweepForm::setRuns(const QStringList& ids, const QStringList& names) {
    runs_ = ids;
    about_->setText(ids.isEmpty() ? tr("No run selected; select one in the list on the left.")
                                  : tr("Runs: %1.").arg(names.join(QStringLiteral(", "))));
    refresh();
}

SweepRequest SweepForm::request() const {
    SweepRequest request{runs_, {}, seeds_->value(), sentences_->value(), refine_->value(), false};
    request.seconds = seconds_->value();
    request.checkpoint = checkpoint_->currentText().trimmed();
    request.split = split_->currentData().toString();
    request.quality = quality_->text().remove(QLatin1Char(' '));
    request.scorer = scorer_->currentData().toString();
    request.diversity = diversity_->text().remove(QLatin1Char(' '));
    for (const Line& line : lines_) {
        const QString key = line.key->currentData().toString();
        if (!key.isEmpty() && !line.values->text().trimmed().isEmpty())
            request.grid << key + QLatin1Char('=') + line.values->text().remove(QLatin1Char(' '));
    }
    return request;
}

qint64 SweepForm::pointCount() const {
    qint64 count = 1;
    for (const QString& text : request().grid) {
        const auto axis = frontier::parseAxis(text.toStdString());
        if (!axis) return -1;
        count *= static_cast<qint64>(axis->values.size());
    }
    return count;
}

void SweepForm::setStatus(const SweepStatus& status) {
    status_ = status;
    refresh();
}

/// Why the form cannot be swept; empty: it can.
QString SweepForm::draftProblem() const {
    if (runs_.isEmpty()) return tr("No run selected; select one in the list on the left.");
    const QStringList grid = request().grid;
    if (grid.isEmpty()) return tr("No setting to vary; choose one, with its values.");
    for (const QString& text : grid)
        if (const auto axis = frontier::parseAxis(text.toStdString()); !axis)
            return QString::fromStdString(axis.error().text());
    return {};
}

QString SweepForm::refusal(SweepAction action) const {
    using Kind = SweepStatus::Kind;
    const bool running = status_.kind == Kind::Running, busy = running || status_.kind == Kind::Estimating;
    switch (action) {
        case SweepAction::Pause:
            return running ? QString() : tr("No sweep is running.");
        case SweepAction::Cancel:
            return busy || status_.kind == Kind::Paused ? QString() : tr("No sweep is running or paused.");
        case SweepAction::Start:
        case SweepAction::Estimate:
            break;
    }
    return running ? tr("A sweep is running.") : busy ? tr("An estimate is running.") : draftProblem();
}

void SweepForm::carryOut(SweepAction action) {
    if (!refusal(action).isEmpty()) return;
    SweepRequest submitted = request();
    if (action == SweepAction::Start || action == SweepAction::Estimate) submitted_ = submitted;
    submitted.estimateOnly = action == SweepAction::Estimate;
    if (action == SweepAction::Pause) return Q_EMIT pauseRequested();
    if (action == SweepAction::Cancel) return Q_EMIT cancelRequested();
    Q_EMIT requested(submitted);
}

void SweepForm::showButtons() {
    using Kind = SweepStatus::Kind;
    const bool running = status_.kind == Kind::Running;
    start_->setText(running ? tr("Pause") : status_.kind == Kind::Paused ? tr("Resume") : tr("Start sweep"));
    start_->setEnabled(running || refusal(SweepAction::Start).isEmpty());
    // Cancel and Estimate replace each other, with the keyboard's focus.
    const bool stoppable = refusal(SweepAction::Cancel).isEmpty();
    QPushButton *shown = stoppable ? cancel_ : estimate_, *gone = stoppable ? estimate_ : cancel_;
    shown->setEnabled(stoppable || refusal(SweepAction::Estimate).isEmpty());
    shown->show();
    if (gone->hasFocus()) shown->setFocus();
    gone->hide();
    bar_->setVisible(status_.total > 0 && stoppable);
    bar_->setRange(0, std::max(1, status_.total));
    bar_->setValue(status_.done);
}

/// The outcome of a finished sweep is not that of values typed since.
bool SweepForm::statusIsStale() const {
    using Kind = SweepStatus::Kind;
    return (status_.kind == Kind::Idle || status_.kind == Kind::Failed) && submitted_ &&
           *submitted_ != request();
}

void SweepForm::refresh() {
    showButtons();
    const QString problem = draftProblem();
    QString text = statusIsStale() ? QString() : status_.text;
    if (!problem.isEmpty() && !runs_.isEmpty())
        text = problem;
    else if (text.isEmpty() && problem.isEmpty())
        text =
            tr("Points per run: %1, outputs each: %2.")
                .arg(countText(pointCount()), countText(qint64{1} * seeds_->value() * sentences_->value()));
    showText(*message_, text);
    Q_EMIT refusalsChanged();
}

}  // namespace kurve::views
