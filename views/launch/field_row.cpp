#include "views/launch/field_row.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFocusEvent>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/style_property.h"
#include "views/common/text/field_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr double kLabelWidth = 148, kNarrowEditor = 84, kWideEditor = 150, kUnitWidth = 44;

/// Notes on a setting besides its description.
QStringList formFacts(const FieldSpec& field) {
    QStringList facts;
    if (field.type == FieldType::Integer || field.type == FieldType::Real)
        facts << QObject::tr("several values (1, 2, 4 or 1e-4..1e-2:x10) define a matrix of runs");
    if (field.live) facts << QObject::tr("can be changed during training");
    return facts;
}

}  // namespace

FieldRow::FieldRow(const FieldSpec& field, QWidget* parent)
    : QWidget(parent),
      key_(qt(field.key)),
      live_(field.live),
      label_(new QLabel),
      error_(describe(new QLabel, {.role = "error", .wraps = true, .hidden = true})),
      revert_(describe(new QToolButton, {.text = QStringLiteral("↺"), .hidden = true})),
      lock_(new QToolButton) {
    searchText_ =
        (qt(field.key) + QLatin1Char(' ') + qt(field.doc) + QLatin1Char(' ') + qt(field.source)).toLower();
    const QString tip = fieldTip(field, formFacts(field));
    label_->setText(fieldLabel(field.key));
    label_->setToolTip(tip);
    label_->setFixedWidth(px(kLabelWidth));
    describe(revert_, {}, tr("Revert %1").arg(key_), tr("Revert to the experiment's value (Ctrl+Backspace)"),
             {.role = "quiet"});
    revert_->setFocusPolicy(Qt::NoFocus);
    describe(lock_, QStringLiteral("launch.unlock.%1").arg(key_), tr("Unlock %1").arg(key_),
             tr("Can be changed during training; Enter applies it at the next step"),
             {.role = "mini", .checkable = true, .hidden = true});
    lock_->setText(tr("Unlock"));

    buildEditor(field);
    QWidget* editor = this->editor();
    describe(editor, QStringLiteral("launch.field.%1").arg(key_), key_, tip);
    editor->setAccessibleDescription(qt(field.doc));
    editor->installEventFilter(this);
    buildRow(field);
    setRunning(false);
    connect(revert_, &QToolButton::clicked, this, [this] { Q_EMIT reverted(key_); });
    connect(lock_, &QToolButton::toggled, this, [this, editor](bool open) {
        editor->setEnabled(open);
        lock_->setText(open ? tr("Lock") : tr("Unlock"));
        if (open) editor->setFocus();
    });
}

void FieldRow::buildRow(const FieldSpec& field) {
    QWidget* editor = this->editor();
    // In a narrow dock the editors shrink, all alike, before a unit is cut off.
    editor->setMinimumWidth(px(kNarrowEditor));
    const bool wide = field.type == FieldType::Text || field.type == FieldType::Run;  // a path needs the row
    if (!wide) editor->setMaximumWidth(px(kWideEditor));
    editor->setSizePolicy(QSizePolicy::Expanding, editor->sizePolicy().verticalPolicy());
    auto* controls = hbox({{editor, 100}}, {.spacing = space::kTight});
    if (!wide || !field.unitText.empty()) {
        auto* unit = describe(new QLabel(qt(field.unitText)), {.role = "caption"});
        unit->setMinimumWidth(px(kUnitWidth));
        controls->addWidget(unit);
    }
    if (!wide) controls->addStretch(1);
    controls->addWidget(lock_);
    controls->addWidget(revert_);
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(px(space::kTight));
    form->setVerticalSpacing(px(1));
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    form->addRow(label_, controls);
    form->addRow(error_);
}

QWidget* FieldRow::editor() const {
    return check_ ? static_cast<QWidget*>(check_) : combo_ ? static_cast<QWidget*>(combo_) : line_;
}

void FieldRow::buildEditor(const FieldSpec& field) {
    switch (field.type) {
        case FieldType::Flag:
            check_ = new QCheckBox;
            connect(check_, &QCheckBox::toggled, this,
                    [this](bool on) { emitEdit(on ? QStringLiteral("true") : QStringLiteral("false")); });
            break;
        case FieldType::Choice:
            combo_ = new QComboBox;
            for (const std::string& choice : field.choices) combo_->addItem(qt(choice));
            if (!field.prefixes.empty()) {  // "file:schedules/mine.toml" beside the names
                combo_->setEditable(true);
                combo_->setInsertPolicy(QComboBox::NoInsert);
                combo_->lineEdit()->setPlaceholderText(tr("or %1…").arg(qt(field.prefixes.front())));
            }
            connect(combo_, &QComboBox::currentTextChanged, this, &FieldRow::emitEdit);
            break;
        case FieldType::Run:
            combo_ = new QComboBox;
            combo_->setEditable(true);
            combo_->setInsertPolicy(QComboBox::NoInsert);
            combo_->lineEdit()->setPlaceholderText(tr("none"));
            connect(combo_, &QComboBox::currentTextChanged, this, &FieldRow::emitEdit);
            break;
        default:
            line_ = new QLineEdit;
            line_->setPlaceholderText(fieldRange(field));
            connect(line_, &QLineEdit::textEdited, this, [this](const QString& text) {
                if (!running_) emitEdit(text.trimmed());
            });
            connect(line_, &QLineEdit::returnPressed, this, [this] {
                if (running_) emitEdit(line_->text().trimmed());
            });
    }
}

void FieldRow::offer(const std::vector<Choice>& runs) {
    QStringList ids, now{QString()};
    for (int i = 0; i < combo_->count(); ++i) ids << combo_->itemText(i);
    for (const Choice& run : runs) now << run.id;
    if (ids == now) return;
    filling_ = true;
    const QString text = combo_->currentText();
    combo_->clear();
    combo_->addItems(now);
    for (std::size_t i = 0; i < runs.size(); ++i)
        combo_->setItemData(static_cast<int>(i) + 1, runs[i].title, Qt::ToolTipRole);
    combo_->setCurrentText(text);
    filling_ = false;
}

QString FieldRow::currentText() const {
    if (check_) return check_->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
    return combo_ ? combo_->currentText() : line_->text();
}

void FieldRow::emitEdit(const QString& text) {
    if (filling_) return;
    if (running_)
        Q_EMIT liveSet(key_, text);
    else
        Q_EMIT edited(key_, text);
}

void FieldRow::show(const QString& text, bool changedFromDefault, bool revertible) {
    filling_ = true;
    shown_ = text;
    const bool editing = line_ && line_->hasFocus() && line_->text().trimmed() == text;
    if (text != currentText() && !editing) {
        if (check_) check_->setChecked(text == QLatin1String("true"));
        if (combo_) {
            if (!combo_->isEditable() && combo_->findText(text) < 0) combo_->addItem(text);
            combo_->setCurrentText(text);
        }
        if (line_ && !(running_ && line_->hasFocus())) {
            line_->setText(text);
            // Show the end of a path: the file name.
            line_->setCursorPosition(text.contains(QLatin1Char('/')) ? static_cast<int>(text.size()) : 0);
        }
    }
    QFont font = label_->font();
    if (font.bold() != changedFromDefault) {
        font.setBold(changedFromDefault);
        label_->setFont(font);
    }
    revert_->setVisible(revertible && !running_);
    filling_ = false;
}

void FieldRow::setError(const QString& text) {
    QWidget* editor = combo_ ? static_cast<QWidget*>(combo_) : line_;
    error_->setText(text);
    error_->setVisible(!text.isEmpty());
    if (editor) setStyleProperty(*editor, "invalid", !text.isEmpty());
}

void FieldRow::setRunning(bool running) {
    running_ = running;
    QWidget* editor = this->editor();
    editor->setEnabled(!running || (live_ && lock_->isChecked()));
    lock_->setVisible(running && live_);
    QSizePolicy policy = revert_->sizePolicy();
    policy.setRetainSizeWhenHidden(!running);
    revert_->setSizePolicy(policy);
    if (!running) lock_->setChecked(false);
    if (!running) editor->setEnabled(true);
}

void FieldRow::focusEditor() {
    editor()->setFocus(Qt::OtherFocusReason);
}

bool FieldRow::matches(const QString& words) const {
    const QStringList parts = words.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::ranges::all_of(parts, [this](const QString& part) { return searchText_.contains(part); });
}

bool FieldRow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Backspace && key->modifiers() == Qt::ControlModifier && !running_) {
            Q_EMIT reverted(key_);
            return true;
        }
    }
    if (event->type() == QEvent::FocusOut && running_ && line_) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        // Not applied, so not a setting of the run.
        if (reason != Qt::PopupFocusReason && reason != Qt::ActiveWindowFocusReason) line_->setText(shown_);
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace kurve::views
