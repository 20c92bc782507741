#include "views/runs/purge_button.h"

#include <QTimer>

#include "views/common/format.h"

namespace kurve::views {

namespace {
constexpr int kPatience = 6000;  ///< milliseconds
}

PurgeButton::PurgeButton(Words words, QWidget* parent) : QPushButton(parent), words_(std::move(words)) {
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
    const bool sure = std::exchange(asked_, !asked_);
    showText();
    if (sure) return Q_EMIT confirmed(ids_);
    QTimer::singleShot(kPatience, this, [this] {
        asked_ = false;
        showText();
    });
}

void PurgeButton::showText() {
    setText(asked_ ? words_.question.arg(ids_.size())
                   : tr("Delete for good, %1").arg(bytesText(static_cast<double>(bytes_))));
    setToolTip(words_.hint.arg(ids_.size()));
}

}  // namespace kurve::views
