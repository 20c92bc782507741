#include "views/corpus/split_fields.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kMaxHeldOut = 100000;

}  // namespace

SplitFields::SplitFields(const QString& id, const QString& title, QWidget* parent)
    : QWidget(parent),
      canHoldOut_(id != QStringLiteral("train")),
      source_(new QLineEdit),
      target_(new QLineEdit),
      holdOutRow_(new QWidget),
      holdOut_(new QSpinBox),
      error_(new QLabel) {
    const QString prefix = QStringLiteral("import.") + id;
    auto* heading = new QLabel(title);
    heading->setBuddy(source_);
    source_->setPlaceholderText(canHoldOut_ ? tr("none: held out from train")
                                            : tr("TSV, JSON lines, or the source lines"));
    target_->setPlaceholderText(tr("target lines, unless TSV"));
    holdOut_->setRange(0, kMaxHeldOut);
    holdOut_->setObjectName(prefix + QStringLiteral(".hold_out"));
    holdOut_->setAccessibleName(tr("%1: pairs to hold out from train").arg(title));
    holdOut_->setToolTip(
        tr("Chosen by a hash of the source, so that added lines change no choice; 0: no split"));
    error_->setObjectName(prefix + QStringLiteral(".error"));
    error_->setProperty("role", "error");
    error_->setWordWrap(true);
    error_->hide();
    targetRow_ = fileRow(target_, prefix + QStringLiteral(".target"), tr("%1: target lines").arg(title));
    auto* row = new QHBoxLayout(holdOutRow_);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(new QLabel(tr("Hold out from train")));
    row->addWidget(holdOut_);
    row->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(space::kTight));
    layout->addWidget(heading);
    layout->addWidget(fileRow(source_, prefix + QStringLiteral(".source"), title));
    layout->addWidget(targetRow_);
    layout->addWidget(holdOutRow_);
    layout->addWidget(error_);
    connect(holdOut_, &QSpinBox::valueChanged, this, &SplitFields::edited);
    arrange();
}

QWidget* SplitFields::fileRow(QLineEdit* field, const QString& id, const QString& name) {
    field->setObjectName(id);
    field->setAccessibleName(name);
    field->setClearButtonEnabled(true);
    auto* choose = new QToolButton;
    choose->setText(QStringLiteral("…"));
    choose->setObjectName(id + QStringLiteral(".choose"));
    choose->setAccessibleName(tr("%1: choose file").arg(name));
    choose->setToolTip(tr("Choose file"));
    choose->setFocusPolicy(Qt::StrongFocus);
    connect(choose, &QToolButton::clicked, this, [this, field, name] {
        auto* dialog = new QFileDialog(window(), name, QFileInfo(field->text()).path());
        dialog->setFileMode(QFileDialog::ExistingFile);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QFileDialog::fileSelected, field, &QLineEdit::setText);
        dialog->open();
    });
    connect(field, &QLineEdit::textChanged, this, [this, field] {
        field->setToolTip(field->text());
        arrange();
        Q_EMIT edited();
    });
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(space::kTight));
    layout->addWidget(field, 1);
    layout->addWidget(choose);
    return row;
}

/// A file with both sides has no second one, and a split with a file is not held out.
void SplitFields::arrange() {
    const QString source = source_->text().trimmed();
    targetRow_->setVisible(pairs_ &&
                           ((!source.isEmpty() && !hasBothSides(source)) || !target_->text().isEmpty()));
    holdOutRow_->setVisible(canHoldOut_ && source.isEmpty());
}

void SplitFields::setPairs(bool pairs) {
    pairs_ = pairs;
    if (!canHoldOut_)
        source_->setPlaceholderText(pairs ? tr("TSV, JSON lines, or the source lines") : tr("Text file"));
    arrange();
}

ImportRequest::Split SplitFields::split() const {
    return {source_->text().trimmed(), target_->text().trimmed(), holdOut_->value()};
}

void SplitFields::setSplit(const ImportRequest::Split& split) {
    const QSignalBlocker quiet(this);
    source_->setText(split.source);
    target_->setText(split.target);
    holdOut_->setValue(split.holdOut);
    setError({});
}

void SplitFields::setError(const QString& text) {
    error_->setText(text);
    error_->setVisible(!text.isEmpty());
}

}  // namespace kurve::views
