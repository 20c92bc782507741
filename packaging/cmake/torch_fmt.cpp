// The compiled half of the fmt that LibTorch ships. Its headers hide Debian's, whose library has another
// version; without this file every torch source would compile fmt's formatting code anew. The list is that of
// fmt 12.1's own src/format.cc.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE

template FMT_API auto detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto detail::decimal_point_impl(locale_ref) -> char;
template FMT_API void detail::buffer<char>::append(const char*, const char*);
template FMT_API auto detail::dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto detail::dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto detail::thousands_sep_impl<wchar_t>(locale_ref) -> thousands_sep_result<wchar_t>;
template FMT_API auto detail::decimal_point_impl(locale_ref) -> wchar_t;
template FMT_API void detail::buffer<wchar_t>::append(const wchar_t*, const wchar_t*);

FMT_END_NAMESPACE
