// Recording once more with the states: what there is to say about it, and asking for it.
#include <QLabel>
#include <QPushButton>

#include "views/common/empty_state.h"
#include "views/common/format.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/similarity/similarity_panel.h"

namespace kurve::views {

void SimilarityPanel::tellCapture() {
    const bool captured = source_ && source_->hasHidden();
    capture_->setVisible(source_ != nullptr && !captured);
    captureNote_->setText(source_ && !captured ? tr("This recording holds no layers.")
                                               : QString());  // it stays: the controls keep their widths
    captureNote_->setToolTip(captureNote_->text());
    if (!source_)
        return empty_->setTexts(
            tr("No denoising chosen"),
            tr("Open a recorded denoising, or run a prompt: the states it holds are compared here."),
            tr("Show the newest recording"));
    const QString size = captureSize();
    const QString deed = size.isEmpty() ? tr("Capture layers") : tr("Capture layers (%1)").arg(size);
    capture_->setText(deed);
    capture_->setToolTip(
        tr("Denoise the same prompt with the same settings again and record all layers and attention%1")
            .arg(size.isEmpty() ? QString() : tr(" (about %1)").arg(size)));
    empty_->setTexts(tr("This recording holds no states"),
                     tr("Only its words were kept. The same prompt can be denoised once more with the same "
                        "settings, and all layers and attention are recorded."),
                     deed);
}

QString SimilarityPanel::captureSize() const {
    const QString run = QString::fromStdString(source_->trace().metaText("run"));
    const auto data = context().catalog ? context().catalog->data(run) : nullptr;
    if (!data || !data->values.count("config")) return {};
    const double bytes = captureBytes(source_->trace(), QString::fromStdString(data->values.at("config")));
    return bytes > 0 ? bytesText(bytes) : QString();
}

void SimilarityPanel::askCapture() {
    if (source_)
        Q_EMIT captureRequested(context().selection->trace(), {"latent", "curve", "hidden", "attention"});
}

}  // namespace kurve::views
