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

#include "views/common/theme.h"

namespace kurve::views {

namespace {

constexpr int kMostCut = 100000;

}  // namespace

SplitFields::SplitFields(const QString& id, const QString& title, QWidget* parent)
    : QWidget(parent),
      cuttable_(id != QStringLiteral("train")),
      source_(new QLineEdit),
      target_(new QLineEdit),
      cutRow_(new QWidget),
      cut_(new QSpinBox),
      error_(new QLabel) {
    const QString prefix = QStringLiteral("import.") + id;
    auto* heading = new QLabel(title);
    heading->setBuddy(source_);
    source_->setPlaceholderText(cuttable_ ? tr("none: cut off below") : tr("TSV, or the source lines"));
    target_->setPlaceholderText(tr("their target lines, if it is no TSV"));
    cut_->setRange(0, kMostCut);
    cut_->setObjectName(prefix + QStringLiteral(".cut"));
    cut_->setAccessibleName(tr("%1: pairs to cut off the training files").arg(title));
    cut_->setToolTip(
        tr("Chosen by the letters of the source, so that adding lines moves no other; 0: no "
           "such split"));
    error_->setObjectName(prefix + QStringLiteral(".error"));
    error_->setProperty("role", "error");
    error_->setWordWrap(true);
    error_->hide();
    targetRow_ = fileRow(target_, prefix + QStringLiteral(".target"), tr("%1: target lines").arg(title));
    auto* cut = new QHBoxLayout(cutRow_);
    cut->setContentsMargins(0, 0, 0, 0);
    cut->addWidget(new QLabel(tr("cut off train")));
    cut->addWidget(cut_);
    cut->addWidget(new QLabel(tr("pairs")));
    cut->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(space::kTight));
    layout->addWidget(heading);
    layout->addWidget(fileRow(source_, prefix + QStringLiteral(".source"), title));
    layout->addWidget(targetRow_);
    layout->addWidget(cutRow_);
    layout->addWidget(error_);
    connect(cut_, &QSpinBox::valueChanged, this, &SplitFields::edited);
    arrange();
}

QWidget* SplitFields::fileRow(QLineEdit* field, const QString& id, const QString& name) {
    field->setObjectName(id);
    field->setAccessibleName(name);
    field->setClearButtonEnabled(true);
    auto* choose = new QToolButton;
    choose->setText(QStringLiteral("…"));
    choose->setObjectName(id + QStringLiteral(".choose"));
    choose->setAccessibleName(tr("%1: choose the file").arg(name));
    choose->setToolTip(tr("Choose the file"));
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

/// A TSV has no second file, and a split with a file is not cut.
void SplitFields::arrange() {
    const QString source = source_->text().trimmed();
    const bool isTsv = source.endsWith(QStringLiteral(".tsv"), Qt::CaseInsensitive);
    targetRow_->setVisible((!source.isEmpty() && !isTsv) || !target_->text().isEmpty());
    cutRow_->setVisible(cuttable_ && source.isEmpty());
}

ImportWish::Split SplitFields::split() const {
    return {source_->text().trimmed(), target_->text().trimmed(), cut_->value()};
}

void SplitFields::setSplit(const ImportWish::Split& split) {
    const QSignalBlocker quiet(this);
    source_->setText(split.source);
    target_->setText(split.target);
    cut_->setValue(split.cut);
    setError({});
}

void SplitFields::setError(const QString& text) {
    error_->setText(text);
    error_->setVisible(!text.isEmpty());
}

}  // namespace kurve::views
