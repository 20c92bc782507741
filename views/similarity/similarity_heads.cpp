// Selection of the attention head.
#include <QComboBox>
#include <algorithm>

#include "views/common/shell/selection.h"
#include "views/similarity/similarity_panel.h"

namespace kurve::views {

int SimilarityPanel::head() const {
    return head_->currentIndex() - 1;  // the first entry is the mean
}

/// The heads of the trace; the selected one stays if it exists.
void SimilarityPanel::listHeads() {
    const int heads = source_ ? source_->heads() : 0;
    head_->setVisible(heads > 1);
    if (head_->count() == heads + 1 || heads == 0) return;
    const QSignalBlocker quiet(head_);
    head_->clear();
    head_->addItem(tr("Mean of the heads"));
    for (int at = 1; at <= heads; ++at) head_->addItem(tr("Head %1").arg(at));
    head_->setCurrentIndex(std::min(savedHead_, heads));
    source_ = std::make_shared<const inspect::StateSource>(context().selection->trace(), source_->title(),
                                                           this->head());
}

void SimilarityPanel::setHead() {
    savedHead_ = std::max(0, head_->currentIndex());
    Q_EMIT stateChanged();
    if (!source_) return;
    const auto with = [this](std::shared_ptr<const inspect::StateSource>& source, const auto& trace) {
        if (source) source = std::make_shared<const inspect::StateSource>(trace, source->title(), head());
    };
    with(source_, context().selection->trace());
    const auto before = otherSource_;
    with(otherSource_, context().selection->reference());
    if (held_ && held_->source == before) held_->source = otherSource_;
    recompute();
}

}  // namespace kurve::views
