#include "views/similarity/head_box.h"

#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"

namespace kurve::views {

HeadBox::HeadBox() {
    describe(this, "similarity.head", tr("Attention head"), tr("Which attention head is shown (E)"));
    connect(this, &QComboBox::currentIndexChanged, this, [this] { wanted_ = currentData().toString(); });
}

void HeadBox::offer(int heads) {
    setVisible(heads > 1);
    if (heads == 0) return;
    BoxChoices items{{QStringLiteral("mean"), tr("Mean of the heads")}};
    for (int at = 1; at <= heads; ++at) items.append({QString::number(at), tr("Head %1").arg(at)});
    const QSignalBlocker quiet(this);
    offerItems(*this, items, wanted_);
}

void HeadBox::chooseNext() {
    if (!isHidden()) setCurrentIndex((currentIndex() + 1) % count());
}

void HeadBox::restore(const QJsonValue& saved) {
    const QString wanted = saved.toString();
    if (count() > 0) setCurrentIndex(std::max(0, findData(wanted)));
    wanted_ = wanted;
}

}  // namespace kurve::views
