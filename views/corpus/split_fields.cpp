#include "views/corpus/split_fields.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
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
    describe(holdOut_, prefix + QStringLiteral(".hold_out"),
             tr("%1: pairs to hold out from train").arg(title),
             tr("Chosen by a hash of the source, so that added lines change no choice; 0: no split"));
    describe(error_, prefix + QStringLiteral(".error"), {.role = "error", .wraps = true, .hidden = true});
    targetRow_ = fileRow(target_, prefix + QStringLiteral(".target"), tr("%1: target lines").arg(title));
    hboxIn(holdOutRow_, {new QLabel(tr("Hold out from train")), holdOut_, Stretch{1}}, {.margins = 0});
    vboxIn(this,
           {heading, fileRow(source_, prefix + QStringLiteral(".source"), title), targetRow_, holdOutRow_,
            error_},
           {.margins = 0, .spacing = space::kTight});
    connect(holdOut_, &QSpinBox::valueChanged, this, &SplitFields::edited);
    arrange();
}

QWidget* SplitFields::fileRow(QLineEdit* field, const QString& id, const QString& name) {
    describe(field, id, name, {.clearable = true});
    auto* choose = describe(new QToolButton, id + QStringLiteral(".choose"), tr("%1: choose file").arg(name),
                            tr("Choose file"), {.text = QStringLiteral("…")});
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
    return boxed(hbox({{field, 1}, choose}, {.margins = 0, .spacing = space::kTight}));
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
    showText(*error_, text);
}

}  // namespace kurve::views
