#include "views/runs/purge_button.h"

#include <QTimer>

#include "views/common/text/format.h"

namespace kurve::views {

namespace {
constexpr int kConfirmMilliseconds = 6000;
}

PurgeButton::PurgeButton(Texts texts, QWidget* parent) : QPushButton(parent), texts_(std::move(texts)) {
    setProperty("role", "quiet");
    hide();
    connect(this, &QPushButton::clicked, this, &PurgeButton::press);
}

void PurgeButton::setTrash(const QStringList& ids, qint64 bytes) {
    ids_ = ids;
    bytes_ = bytes;
    setVisible(!ids_.isEmpty());
    showText();
}

void PurgeButton::press() {
    if (ids_.isEmpty()) return;
    const bool confirmedNow = std::exchange(confirming_, !confirming_);
    showText();
    if (confirmedNow) return Q_EMIT confirmed(ids_);
    QTimer::singleShot(kConfirmMilliseconds, this, [this] {
        confirming_ = false;
        showText();
    });
}

void PurgeButton::showText() {
    setText(confirming_ ? texts_.question.arg(ids_.size())
                        : tr("Delete permanently, %1").arg(bytesText(static_cast<double>(bytes_))));
    setToolTip(texts_.hint.arg(ids_.size()));
}

}  // namespace kurve::views
