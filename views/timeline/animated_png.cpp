#include "views/timeline/animated_png.h"

#include <QBuffer>
#include <QRect>
#include <QtEndian>
#include <algorithm>
#include <array>
#include <cstring>

namespace kurve::views {
namespace {

constexpr int kLastStays = 5;

/// CRC-32 of ISO 3309, as every PNG chunk ends with.
quint32 crc(const QByteArray& bytes) {
    static const auto kTable = [] {
        std::array<quint32, 256> table{};
        for (quint32 n = 0; n < 256; ++n) {
            quint32 c = n;
            for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
            table[n] = c;
        }
        return table;
    }();
    quint32 c = 0xFFFFFFFFU;
    for (const char byte : bytes) c = kTable[(c ^ static_cast<quint8>(byte)) & 0xFFU] ^ (c >> 8U);
    return c ^ 0xFFFFFFFFU;
}

template <class T>
QByteArray bigEndian(T value) {
    QByteArray out(sizeof(T), Qt::Uninitialized);
    qToBigEndian(value, out.data());
    return out;
}

QByteArray chunk(const char* type, const QByteArray& data) {
    const QByteArray named = QByteArray(type, 4) + data;
    return bigEndian(static_cast<quint32>(data.size())) + named + bigEndian(crc(named));
}

struct Png {
    QByteArray header;  ///< data of IHDR
    QByteArray pixels;  ///< data of all IDAT
};

/// Header and pixel data of the PNG that Qt writes.
Result<Png> encode(const QImage& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!picture.save(&buffer, "PNG"))
        return requestError("export.png", "Qt cannot write this picture as PNG")
            .fix("install Qt's image plugins (package libqt6gui6)");
    Png out;
    for (qsizetype at = 8; at + 12 <= bytes.size();) {
        const auto size = static_cast<qsizetype>(qFromBigEndian<quint32>(bytes.constData() + at));
        const QByteArray type = bytes.mid(at + 4, 4), data = bytes.mid(at + 8, size);
        if (type == "IHDR") out.header = data;
        if (type == "IDAT") out.pixels += data;
        at += 12 + size;
    }
    return out;
}

/// The smallest rectangle that holds every pixel that differs; one pixel where none does.
QRect changed(const QImage& before, const QImage& now) {
    int top = -1, bottom = -1, left = now.width(), right = -1;
    const auto bytes = static_cast<std::size_t>(now.width()) * 3;
    for (int y = 0; y < now.height(); ++y) {
        const uchar *a = before.constScanLine(y), *b = now.constScanLine(y);
        if (std::memcmp(a, b, bytes) == 0) continue;
        if (top < 0) top = y;
        bottom = y;
        const auto first = static_cast<int>((std::mismatch(a, a + bytes, b).first - a) / 3);
        std::size_t last = bytes;
        while (a[last - 1] == b[last - 1]) --last;
        left = std::min(left, first);
        right = std::max(right, static_cast<int>((last - 1) / 3));
    }
    return top < 0 ? QRect(0, 0, 1, 1) : QRect(QPoint(left, top), QPoint(right, bottom));
}

QByteArray frameControl(quint32 sequence, const QRect& area, quint16 milliseconds) {
    QByteArray out = bigEndian(sequence);
    for (const int value : {area.width(), area.height(), area.x(), area.y()})
        out += bigEndian(static_cast<quint32>(value));
    out += bigEndian(milliseconds) + bigEndian(quint16{1000});
    return out + QByteArray(2, '\0');  // dispose: leave; blend: replace
}

}  // namespace

Result<QByteArray> animatedPng(const std::vector<QImage>& pictures, int milliseconds) {
    if (pictures.empty() || pictures.front().isNull())
        return requestError("export.no_pictures", "no picture to animate").fix("open a trace");
    QByteArray out("\x89PNG\r\n\x1a\n", 8), frames;
    quint32 sequence = 0;
    QImage before;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const QImage now = pictures[i].convertToFormat(QImage::Format_RGB888);
        if (i > 0 && now.size() != before.size())
            return requestError("export.png", "the pictures differ in size")
                .fix("keep the window's size while pictures are drawn");
        const QRect area = i == 0 ? now.rect() : changed(before, now);
        KURVE_TRY(const Png png, encode(now.copy(area)));
        if (i == 0)
            out += chunk("IHDR", png.header) +
                   chunk("acTL", bigEndian(static_cast<quint32>(pictures.size())) + bigEndian(quint32{0}));
        const int stays = milliseconds * (i + 1 == pictures.size() ? kLastStays : 1);
        frames +=
            chunk("fcTL", frameControl(sequence++, area, static_cast<quint16>(std::clamp(stays, 1, 65535))));
        frames += i == 0 ? chunk("IDAT", png.pixels) : chunk("fdAT", bigEndian(sequence++) + png.pixels);
        before = now;
    }
    return out + frames + chunk("IEND", {});
}

}  // namespace kurve::views
