#include "views/runs/fork_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include "views/common/form/choice_list.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/style_property.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/field_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr const char* kSteps = "train.steps";

}  // namespace

ForkForm::ForkForm(QWidget* parent)
    : QWidget(parent),
      add_(new QPushButton(tr("Change a setting…"))),
      list_(new ChoiceList(ChoiceList::Kind::Single, QStringLiteral("fork.list"),
                           tr("Settings that the fork can change"), this)),
      error_(describe(new QLabel, "fork.problem", {.role = "error", .wraps = true, .hidden = true})),
      note_(describe(new QLabel, "fork.note", {.role = "caption", .wraps = true, .hidden = true})),
      lines_(vbox({}, {.spacing = 2})) {
    describe(add_, "fork.add", {}, tr("Override a setting of the run in the fork"), {.role = "quiet"});
    vboxIn(this, {lines_, {add_, 0, Qt::AlignLeft}, error_, note_}, {.margins = 0, .spacing = space::kTight});
    connect(add_, &QPushButton::clicked, this, &ForkForm::openList);
    connect(list_, &ChoiceList::chosen, this, [this](const QString& key) { add(key); });
    setConfig(std::nullopt);
}

void ForkForm::setConfig(const std::optional<RunConfig>& config) {
    const bool same = config && run_ && config->canonicalText() == run_->canonicalText();
    if (same || (!config && !run_)) return add_->setEnabled(config.has_value());
    while (!rows_.empty()) remove(rows_.begin()->first);
    run_ = config;
    inherit();
    proposedAt_ = -1;
    add_->setEnabled(config_.has_value());
    check();
}

void ForkForm::setStart(qint64 step, const std::vector<Override>& live) {
    if (step == start_ && live == live_) return;
    start_ = step;
    live_ = live;
    inherit();
    for (const auto& [key, row] : rows_) showInherited(key, row);
    check();
}

/// As the engine forks: from the weights of the checkpoint, whatever its run began from.
void ForkForm::inherit() {
    config_ = run_;
    inheritProblem_.clear();
    if (!run_) return;
    std::vector<Override> changes;
    for (const char* key : {"train.init_from", "train.init_from_parameters"})
        if (run_->has(key)) changes.emplace_back(key, "");
    changes.insert(changes.end(), live_.begin(), live_.end());
    const auto kept = run_->with(changes);
    if (kept)
        config_ = *kept;
    else
        inheritProblem_ = qt(kept.error().text());
}

void ForkForm::showInherited(const QString& key, const Row& row) {
    const QString was = qt(fieldValueText(config_->value(key.toStdString())));
    row.editor->setAccessibleName(tr("%1, of the checkpoint: %2").arg(key, was));
    row.name->setTexts(key, {tr("was %1").arg(was)});
}

bool ForkForm::proposeEnd() {
    const bool planned = config_ && config_->schema().find(kSteps) != nullptr;
    const std::int64_t steps = planned ? config_->integer(kSteps) : 0;
    if (steps == 0 || steps > start_ || proposedAt_ == start_ || rows_.contains(QLatin1String(kSteps)))
        return false;
    proposedAt_ = start_;
    add(QLatin1String(kSteps), QString::number(start_ + steps));
    return true;
}

/// The end must lie beyond the start.
QString ForkForm::problemOfEnd() const {
    const auto row = rows_.find(QLatin1String(kSteps));
    const qint64 end = row == rows_.end() ? 0 : row->second.text.toLongLong();
    if (end == 0 || end > start_) return {};
    return tr("train.steps: the fork starts at step %1 and would end at once; set more, or remove the change")
        .arg(countText(start_));
}

void ForkForm::fillList() {
    std::vector<Choice> choices;
    for (const FieldSpec& field : config_->schema().fields) {
        const QString key = qt(field.key);
        if (rows_.contains(key)) continue;
        choices.push_back({key,
                           QStringLiteral("%1 = %2").arg(key, qt(fieldValueText(config_->value(field.key)))),
                           qt(field.doc), false});
    }
    list_->setChoices(std::move(choices));
}

void ForkForm::openList() {
    if (!config_) return;
    fillList();
    list_->popUp(*add_);
}

QWidget* ForkForm::makeEditor(const FieldSpec& field, const QString& value) {
    const QString key = qt(field.key);
    if (field.type == FieldType::Flag) {
        auto* box = new QCheckBox;
        box->setChecked(value == QLatin1String("true"));
        connect(box, &QCheckBox::toggled, this,
                [this, key](bool on) { edit(key, on ? QStringLiteral("true") : QStringLiteral("false")); });
        return box;
    }
    if (field.type == FieldType::Choice) {
        auto* box = new QComboBox;
        for (const std::string& choice : field.choices) box->addItem(qt(choice));
        box->setEditable(!field.prefixes.empty());
        if (box->findText(value) < 0) box->addItem(value);
        box->setCurrentText(value);
        connect(box, &QComboBox::currentTextChanged, this,
                [this, key](const QString& text) { edit(key, text); });
        return box;
    }
    auto* line = new QLineEdit(value);
    connect(line, &QLineEdit::textEdited, this,
            [this, key](const QString& text) { edit(key, text.trimmed()); });
    return line;
}

bool ForkForm::add(const QString& key, const QString& text) {
    const FieldSpec* field = config_ ? config_->schema().find(key.toStdString()) : nullptr;
    if (field == nullptr) return false;
    if (const auto known = rows_.find(key); known != rows_.end()) {
        known->second.editor->setFocus(Qt::OtherFocusReason);
        return true;
    }
    Row row;
    row.text = text.isEmpty() ? qt(fieldValueText(config_->value(field->key))) : text;
    row.editor = makeEditor(*field, row.text);
    row.editor->setObjectName(QStringLiteral("fork.%1").arg(key));
    row.editor->setToolTip(fieldTip(*field));
    row.editor->setMinimumWidth(px(60));
    row.name = new ElidedLabel("caption");  // above its editor: the inspector is narrow
    row.name->setAbout(qt(field->doc));
    row.name->setBuddy(row.editor);
    showInherited(key, row);
    auto* discard = describe(new QToolButton, {}, tr("Remove change of %1").arg(key),
                             {.text = QStringLiteral("×"), .role = "mini"});
    discard->setToolTip(discard->accessibleName());
    connect(discard, &QToolButton::clicked, this, [this, key] { remove(key); });
    auto* line = hbox({{row.editor, 1}, discard}, {.spacing = space::kTight});
    row.whole = boxed(vbox({row.name, line}, {.margins = 0, .spacing = 2}));
    rows_[key] = row;
    lines_->addWidget(row.whole);
    row.whole->show();  // the layout would do it later; hidden widgets take no focus
    row.editor->setFocus(Qt::OtherFocusReason);
    check();
    return true;
}

void ForkForm::remove(const QString& key) {
    const auto found = rows_.find(key);
    if (found == rows_.end()) return;
    found->second.whole->hide();
    found->second.whole->deleteLater();  // its button may have been pressed
    rows_.erase(found);
    check();
}

void ForkForm::edit(const QString& key, const QString& text) {
    rows_[key].text = text;
    check();
}

void ForkForm::check() {
    problem_ = inheritProblem_;
    std::vector<Override> overrides;
    for (auto& [key, row] : rows_) {
        const FieldSpec* field = config_->schema().find(key.toStdString());
        const auto value = parseFieldValue(*field, row.text.toStdString());
        setStyleProperty(*row.editor, "invalid", !value.has_value());
        if (!value && problem_.isEmpty()) problem_ = qt(value.error().text());
        overrides.emplace_back(key.toStdString(), row.text.toStdString());
    }
    if (problem_.isEmpty() && config_ && !overrides.empty())
        if (const auto whole = config_->with(overrides); !whole) problem_ = qt(whole.error().text());
    if (problem_.isEmpty()) {
        problem_ = problemOfEnd();
        if (!problem_.isEmpty()) setStyleProperty(*rows_[QLatin1String(kSteps)].editor, "invalid", true);
    }
    error_->setText(problem_);
    error_->setVisible(!problem_.isEmpty());
    note_->setText(tr("The run was planned to end at step %1, where this fork starts: train.steps sets the "
                      "end of the fork. "
                      "Without it the fork is not trained.")
                       .arg(countText(start_)));
    note_->setVisible(proposedAt_ == start_ && rows_.contains(QLatin1String(kSteps)));
    Q_EMIT changed();
}

QStringList ForkForm::settings() const {
    QStringList result;
    for (const auto& [key, row] : rows_) result << QStringLiteral("%1=%2").arg(key, row.text);
    return result;
}

}  // namespace kurve::views
