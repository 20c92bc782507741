#include "views/curve/basis_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>
#include <QStandardItemModel>

#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/saved_controls.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

BasisForm::BasisForm(QWidget* parent) : QWidget(parent), rows_(new QFormLayout(this)), seed_(new QSpinBox) {
    rows_->setContentsMargins(px(space::kMedium), px(space::kSmall), px(space::kMedium), px(space::kSmall));
    kind_ = addChoice("kind", tr("Directions"),
                      {{"pca", tr("principal components")},
                       {"random", tr("random")},
                       {"tokens", tr("through three tokens")},
                       {"lda", tr("between A and B (LDA)")}});
    reference_ = addChoice("reference", tr("Fitted on"),
                           {{"last_and_candidates", tr("last step and candidates")},
                            {"this", tr("this step")},
                            {"last", tr("last step")},
                            {"all", tr("all steps")},
                            {"targets", tr("target embeddings")}});
    of_ = addChoice("of", tr("Trace"), {{"a", tr("A")}, {"b", tr("B")}, {"both", tr("A and B")}});
    from_ = addChoice("from", tr("From"), {});
    to_ = addChoice("to", tr("→ to"), {});
    up_ = addChoice("beside", tr("↑ to"), {});
    describe(seed_, "curve.basis.seed", tr("Seed of the random directions"));
    seed_->setRange(1, 9999);
    rows_->addRow(tr("Seed"), seed_);
    for (QComboBox* box : {kind_, reference_, of_, from_, to_, up_})
        connect(box, &QComboBox::activated, this, [this] {
            updateVisibility();
            Q_EMIT changed();
        });
    connect(seed_, &QSpinBox::valueChanged, this, &BasisForm::changed);
    updateVisibility();
}

QComboBox* BasisForm::addChoice(const char* id, const QString& label, const BoxChoices& items) {
    auto* box = describe(new QComboBox, QLatin1String("curve.basis.") + QLatin1String(id), label);
    offerItems(*box, items, {});
    rows_->addRow(label, box);
    return box;
}

void BasisForm::updateVisibility() {
    for (QComboBox* box : {from_, to_, up_}) rows_->setRowVisible(box, kind() == inspect::BasisKind::Tokens);
    rows_->setRowVisible(seed_, kind() == inspect::BasisKind::Random);
    rows_->setRowVisible(of_, hasOther_ && kind() != inspect::BasisKind::Lda);
    if (auto* entries = qobject_cast<QStandardItemModel*>(kind_->model()))
        entries->item(static_cast<int>(inspect::BasisKind::Lda))->setEnabled(hasOther_);
    adjustSize();
}

void BasisForm::setHasOther(bool on) {
    hasOther_ = on;
    updateVisibility();
}

bool BasisForm::needsOther() const {
    return hasOther_ && (kind() == inspect::BasisKind::Lda || of_->currentIndex() > 0);
}

/// LDA needs a second trace.
inspect::BasisKind BasisForm::kind() const {
    const auto chosen = static_cast<inspect::BasisKind>(kind_->currentIndex());
    return chosen == inspect::BasisKind::Lda && !hasOther_ ? inspect::BasisKind::Pca : chosen;
}

void BasisForm::setTokens(const QStringList& tokens) {
    int at = 0;
    for (QComboBox* box : {from_, to_, up_}) {
        const int was = box->currentIndex();
        box->clear();
        box->addItems(tokens);
        const int fallback = std::min(1 + at++, static_cast<int>(tokens.size()) - 1);
        box->setCurrentIndex(was >= 0 && was < tokens.size() ? was : fallback);
    }
}

inspect::BasisChoice BasisForm::choice(int step) const {
    inspect::BasisChoice out;
    out.kind = kind();
    if (hasOther_) out.of = static_cast<inspect::BasisOf>(of_->currentIndex());
    out.reference = static_cast<inspect::BasisReference>(reference_->currentIndex());
    if (out.reference == inspect::BasisReference::ThisStep) out.step = step;
    out.seed = static_cast<std::uint64_t>(seed_->value());
    out.words = {std::max(0, from_->currentIndex()), std::max(0, to_->currentIndex()),
                 std::max(0, up_->currentIndex())};
    return out;
}

QJsonObject BasisForm::save() const {
    return saveControls({kind_, reference_, of_, seed_});
}
void BasisForm::restore(const QJsonObject& saved) {
    const QSignalBlocker quiet(seed_);
    restoreControls({kind_, reference_, of_, seed_}, saved);
    updateVisibility();
    Q_EMIT changed();
}

/// Short, for the bar.
QString BasisForm::summary() const {
    const QString of =
        QStringList{tr("sentence"), tr("this step"), tr("last step"), tr("all steps"), tr("targets")}.value(
            reference_->currentIndex());
    if (kind() == inspect::BasisKind::Lda) return tr("LDA of A and B, %1").arg(of);
    if (kind() == inspect::BasisKind::Tokens)
        return tr("%1 → %2, %3").arg(from_->currentText(), to_->currentText(), up_->currentText());
    const QString text = tr("%1 of %2").arg(kind() == inspect::BasisKind::Pca ? tr("PCA") : tr("random"), of);
    return hasOther_ && of_->currentIndex() > 0 ? tr("%1 (%2)").arg(text, of_->currentText()) : text;
}

}  // namespace kurve::views
