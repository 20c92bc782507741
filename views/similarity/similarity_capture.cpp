// Capturing hidden states and attention of a trace.
#include <QLabel>
#include <QPushButton>

#include "views/common/data/run_catalog.h"
#include "views/common/services/prompts.h"
#include "views/common/shell/empty_state.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/similarity/similarity_panel.h"

namespace kurve::views {

void SimilarityPanel::updateCapture() {
    const bool captured = source_ && source_->hasHidden();
    capture_->setVisible(source_ != nullptr && !captured);
    captureNote_->setText(source_ && !captured
                              ? tr("Hidden states not recorded")
                              : QString());  // not hidden: the other controls keep their widths
    captureNote_->setToolTip(captureNote_->text());
    if (!source_)
        return setEmptyTexts(tr("No trace is open"),
                             tr("Open a trace or run a prompt to compare its states."),
                             tr("Open newest trace"));
    const QString size = captureSize();
    const QString action = size.isEmpty() ? tr("Capture layers") : tr("Capture layers (%1)").arg(size);
    capture_->setText(action);
    capture_->setToolTip(
        tr("Run the same prompt with the same settings and record all layers and attention%1")
            .arg(size.isEmpty() ? QString() : tr(" (about %1)").arg(size)));
    setEmptyTexts(tr("Hidden states not recorded"),
                  tr("The trace has tokens only; record it again with all layers and attention."), action);
}

QString SimilarityPanel::captureSize() const {
    const QString run = QString::fromStdString(source_->trace().metaText("run"));
    const auto data = context().catalog ? context().catalog->data(run) : nullptr;
    if (!data || !data->values.contains("config")) return {};
    const double bytes = inspect::captureBytes(source_->trace(), data->values.at("config"));
    return bytes > 0 ? bytesText(bytes) : QString();
}

void SimilarityPanel::requestCapture() {
    if (!source_) return;
    PromptRequest again = ask<Prompts>().requestOf(source_->trace());  // a branch with its edits
    again.what = QStringList{"latent", "curve", "hidden", "attention"};
    ask<Prompts>().repeat(again, tr("Recording the layers…"));
}

}  // namespace kurve::views
