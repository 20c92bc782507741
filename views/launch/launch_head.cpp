#include "views/launch/launch_head.h"

#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QThread>
#include <algorithm>

#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/style_property.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/launch/draft/draft.h"

namespace kurve::views {

namespace {

constexpr int kLeastCharacters = 7;

QLabel* caption(const QString& text) {
    return describe(new QLabel(text), {.role = "caption"});
}

QPushButton* quiet(const char* id, const QString& text, const QString& tip, bool checkable = false) {
    auto* button = describe(new QPushButton(text), id, tip, tip, {.role = "quiet"});
    button->setCheckable(checkable);
    return button;
}

QString nameOf(const QString& file) {
    return QFileInfo(file).completeBaseName();
}

/// How many processors another machine has is not known.
int mostProcesses(const Draft& draft) {
    constexpr int kOfAnother = 64;
    return draft.machine().isEmpty() ? QThread::idealThreadCount() : kOfAnother;
}

}  // namespace

LaunchHead::LaunchHead(Draft& draft, QWidget* parent)
    : QWidget(parent), draft_(draft), grid_(new QFormLayout) {
    buildParts();
    buildLayout();
    connectParts();
}

void LaunchHead::buildParts() {
    draftTab_ = quiet("launch.draft", tr("New run"), tr("Settings of the new run"), true);
    runTab_ =
        quiet("launch.running", tr("Running"), tr("Settings of the live run; some can be changed"), true);
    draftTab_->setChecked(true);
    runTab_->hide();
    draftTab_->hide();
    experiment_ = describe(new QComboBox, "launch.experiment", tr("Experiment file"));
    preset_ = describe(new QComboBox, "launch.preset", tr("Preset"));
    name_ = describe(new QLineEdit, "launch.name", tr("Run name"));
    machine_ = describe(new QComboBox, "launch.machine", tr("Machine that trains"));
    device_ = describe(new QComboBox, "launch.device", tr("Training device"));
    for (QComboBox* box : {experiment_, preset_, machine_, device_}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(
            kLeastCharacters);  // a long name is cut off before the form scrolls sideways
    }
    processes_ = describe(new QSpinBox, "launch.processes", tr("Processes of the training"));
    processes_->setToolTip(tr("Option --nproc: each computes a part of every batch on a core of its own"));
    search_ = describe(new QLineEdit, "launch.search", tr("Find a setting"));
    describe(search_, {.placeholder = tr("Find a setting"), .clearable = true});
    changedOnly_ = quiet("launch.changed", tr("Changed"), tr("Show only changed settings"), true);
    revertAll_ = quiet("launch.revert", tr("Revert all"), tr("Revert to the experiment file"));
    about_ = caption({});
    describe(about_, "launch.about", {.wraps = true});
    stale_ = describe(new QLabel, "launch.stale", tr("State of the experiment file"));
    describe(stale_, {.role = "warn", .wraps = true});
    reload_ = quiet("launch.reload", tr("Reload"), tr("Reload the experiment file; your changes are kept"));
}

void LaunchHead::buildLayout() {
    auto* tabs = hbox({draftTab_, runTab_, Stretch{1}}, {.spacing = 2});
    grid_->setHorizontalSpacing(px(space::kSmall));
    grid_->setVerticalSpacing(px(6));
    grid_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    for (const auto& [title, control] : {std::pair<QString, QWidget*>{tr("Experiment"), experiment_},
                                         {tr("Preset"), preset_},
                                         {tr("Name"), name_},
                                         {tr("Machine"), machine_},
                                         {tr("Device"), device_},
                                         {tr("Processes"), processes_}})
        grid_->addRow(caption(title), control);
    // Not shown here: without a parent yet it would be a window for a moment.
    if (QThread::idealThreadCount() < 2) grid_->setRowVisible(processes_, false);
    auto* stale = hbox({{stale_, 1}, reload_});
    search_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    vboxIn(this, {tabs, grid_, stale, about_, wrapBox({search_, changedOnly_, revertAll_})},
           {.margins = {space::kMedium, space::kSmall}, .spacing = space::kSmall});
}

void LaunchHead::connectParts() {
    for (const auto& [box, choose] : {std::pair{experiment_, &Draft::setExperiment},
                                      {preset_, &Draft::setPreset},
                                      {machine_, &Draft::setMachine},
                                      {device_, &Draft::setDevice}})
        connect(box, &QComboBox::activated, &draft_,
                [this, box = box, choose = choose] { (draft_.*choose)(box->currentData().toString()); });
    connect(machine_, &QComboBox::activated, this, [this] {
        if (!draft_.machine().isEmpty()) Q_EMIT machineChosen(draft_.machine());
    });
    connect(processes_, &QSpinBox::valueChanged, &draft_, &Draft::setProcesses);
    connect(name_, &QLineEdit::textEdited, &draft_, &Draft::setName);
    connect(search_, &QLineEdit::textChanged, this, &LaunchHead::searchChanged);
    connect(changedOnly_, &QPushButton::toggled, this, &LaunchHead::changedOnlyChanged);
    connect(revertAll_, &QPushButton::clicked, &draft_, &Draft::revertAll);
    connect(reload_, &QPushButton::clicked, this, &LaunchHead::reloadWanted);
    connect(draftTab_, &QPushButton::clicked, this, [this] { Q_EMIT runningChosen(false); });
    connect(runTab_, &QPushButton::clicked, this, [this] { Q_EMIT runningChosen(true); });
}

void LaunchHead::setExperiments(const QStringList& files) {
    BoxChoices items;
    for (const QString& file : files) items.append({file, nameOf(file)});
    const QString chosen = draft_.experiment();
    if (!chosen.isEmpty() && !files.contains(chosen))
        items.append({chosen, tr("%1 (missing)").arg(nameOf(chosen))});
    offerItems(*experiment_, items, chosen);
}

bool LaunchHead::hasExperiments() const {
    return experiment_->count() > 0;
}

void LaunchHead::fill(const EngineInfo* engine) {
    engine_ = engine;
    preset_->clear();
    preset_->addItem(tr("from experiment file"), QString());
    if (const Schema* schema = draft_.schema())
        for (const Preset& preset : schema->presets) {
            preset_->addItem(qt(preset.name), qt(preset.name));
            preset_->setItemData(preset_->count() - 1, qt(preset.doc), Qt::ToolTipRole);
        }
    preset_->setCurrentIndex(std::max(0, preset_->findData(draft_.preset())));
    experiment_->setCurrentIndex(experiment_->findData(draft_.experiment()));
}

/// Without other machines there is nothing to choose.
void LaunchHead::fillMachines() {
    BoxChoices machines{{QString(), tr("This computer")}};
    for (const QString& name : draft_.machines().keys()) machines.append({name, name});
    if (const QString& chosen = draft_.machine(); !chosen.isEmpty() && !draft_.machines().contains(chosen))
        machines.append({chosen, tr("%1 (unknown)").arg(chosen)});
    offerItems(*machine_, machines, draft_.machine());
    grid_->setRowVisible(machine_, machine_->count() > 1);
}

void LaunchHead::fillDevices() {
    const QStringList devices = draft_.devices();
    const bool known = draft_.machine().isEmpty() && engine_ != nullptr && !devices.isEmpty();
    BoxChoices choices{
        {QString(), known ? tr("automatic (%1)").arg(qt(engine_->defaultDevice())) : tr("automatic")}};
    for (const QString& id : devices) choices.append({id, id});
    if (!draft_.device().isEmpty() && !devices.contains(draft_.device()))
        choices.append({draft_.device(), tr("%1 (unavailable)").arg(draft_.device())});
    offerItems(*device_, choices, draft_.device());
}

void LaunchHead::refresh(bool live) {
    for (QWidget* widget :
         std::initializer_list<QWidget*>{experiment_, preset_, name_, machine_, device_, processes_})
        widget->setEnabled(!live);
    name_->setPlaceholderText(draft_.config() ? qt(draft_.config()->name()) : nameOf(draft_.experiment()));
    if (!name_->hasFocus()) name_->setText(draft_.name());
    {
        const QSignalBlocker follows(processes_);
        processes_->setRange(1, std::max(mostProcesses(draft_), draft_.processes()));
        processes_->setValue(draft_.processes());
    }
    fillMachines();
    fillDevices();
    const auto problem = [&](const char* key) {
        return live ? QString() : draft_.errors().value(QLatin1String(key));
    };
    showWrong(*device_, problem(Draft::kDevice),
              draft_.machine().isEmpty() || !draft_.devices().isEmpty()
                  ? tr("Option --device; also used by the queue")
                  : tr("Option --device; check the machine in Project > Machines to see its devices"));
    showWrong(*machine_, problem(Draft::kMachine), tr("Option --machine; also used by the queue"));
    showAbout();
    showStale(live);
    revertAll_->setVisible(!live && draft_.isChanged());
}

void LaunchHead::showWrong(QComboBox& box, const QString& problem, const QString& tip) {
    box.setToolTip(problem.isEmpty() ? tip : problem);
    setStyleProperty(box, "invalid", !problem.isEmpty());
}

void LaunchHead::showAbout() {
    const Schema* schema = draft_.schema();
    about_->setVisible(schema != nullptr);
    if (schema == nullptr) return;
    QString length;
    if (draft_.config() && draft_.config()->has("train.seconds") &&
        draft_.config()->real("train.seconds") > 0)
        length = tr(" · takes about %1").arg(durationText(draft_.config()->real("train.seconds")));
    about_->setText(qt(schema->title) + length +
                    (schema->paper.empty() ? QString() : QStringLiteral("\n") + qt(schema->paper)));
}

void LaunchHead::showStale(bool live) {
    using State = Draft::FileState;
    const State state = live ? State::Same : draft_.fileState();
    const QString name = QFileInfo(draft_.experiment()).fileName();
    stale_->setVisible(state != State::Same);
    reload_->setVisible(state == State::Changed);
    stale_->setText(
        state == State::Gone
            ? tr("%1 is missing. The draft is unchanged; use “TOML” below to save it as an experiment.")
                  .arg(name)
            : tr("%1 has changed on disk. The draft is unchanged and starts as shown.").arg(name));
}

void LaunchHead::setLiveRun(const QString& stateText) {
    runTab_->setVisible(!stateText.isEmpty());
    draftTab_->setVisible(!stateText.isEmpty());
    runTab_->setText(stateText);
}

void LaunchHead::showRunning(bool on) {
    draftTab_->setChecked(!on);
    runTab_->setChecked(on);
}

void LaunchHead::focusRunning() {
    runTab_->setFocus(Qt::OtherFocusReason);
}

bool LaunchHead::isRunningShown() const {
    return runTab_->isChecked();
}

void LaunchHead::focusError() {
    const auto isWrong = [this](const char* key) { return draft_.errors().contains(QLatin1String(key)); };
    (isWrong(Draft::kMachine) ? machine_ : isWrong(Draft::kDevice) ? device_ : experiment_)->setFocus();
}

}  // namespace kurve::views
