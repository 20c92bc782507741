#include "views/runs/purge_button.h"

#include <QTimer>

#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {
constexpr int kConfirmMilliseconds = 6000;
}

PurgeButton::PurgeButton(QString noun, QWidget* parent) : QPushButton(parent), noun_(std::move(noun)) {
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
    const QString count = countedText(ids_.size(), noun_);
    setText(confirming_ ? tr("Delete %1 permanently?").arg(count)
                        : tr("Delete permanently, %1").arg(bytesText(static_cast<double>(bytes_))));
    setToolTip(tr("Deletes the files of %1 in the trash; this cannot be undone").arg(count));
}

}  // namespace kurve::views
